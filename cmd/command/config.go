package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"vlpx.internal/datasets/content"
	"vlpx.internal/vlpx/scale"
)

// method is the key of a file in the place of a command's first argument.
const method = "method"

// configured lets the commands that have the flag -config take arguments and flags from a file. What stands in the shell wins.
func configured(c *cobra.Command) {
	for _, sub := range c.Commands() {
		configured(sub)
	}
	file := c.Flags().Lookup("config")
	if file == nil || file.Value.Type() != "string" { // that of runs show writes
		return
	}
	check, run := c.Args, c.RunE
	var args []string
	c.Args = func(c *cobra.Command, given []string) (err error) {
		if args = given; file.Changed {
			if args, err = fromFile(c, file.Value.String(), given); err != nil {
				return err
			}
		}
		if check == nil {
			return nil
		}
		return check(c, args)
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c, args) }
}

// fromFile sets the flags of a command from a file, but for those that were given, and returns its arguments. The file is YAML: the names
// of flags with their values, "method" for what the command takes, and "set" as a mapping or a list.
func fromFile(c *cobra.Command, name string, given []string) ([]string, error) {
	values, err := readConfig(name)
	if err != nil {
		return nil, err
	}
	known := []string{method}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains([]string{"config", "help"}, f.Name) {
			known = append(known, f.Name)
		}
	})
	args := given
	for _, key := range slices.Sorted(maps.Keys(values)) {
		words, err := wordsOf(values[key])
		switch flag := c.Flags().Lookup(key); {
		case err != nil:
			return nil, fmt.Errorf("-config %s: %s: %w", name, key, err)
		case key == method:
			if len(given) == 0 {
				args = words
			}
		case !slices.Contains(known, key):
			return nil, fmt.Errorf("-config %s: %s has no flag -%s%s It has %s", name, c.Name(), key, scale.Suggest(key, known),
				strings.Join(known, ", "))
		case key == "set":
			err = set(c, flag, words)
		case !flag.Changed:
			for _, value := range joined(flag, words) {
				if err == nil {
					err = c.Flags().Set(key, value)
				}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("-config %s: %w", name, err)
		}
	}
	return args, nil
}

// longestConfig bounds a file of flags, in bytes.
const longestConfig = 1 << 20

// readConfig reads a file of flags. What it stands for is bounded by its bytes and by its aliases.
func readConfig(name string) (map[string]any, error) {
	f, err := content.Regular(name)
	if err != nil {
		return nil, fmt.Errorf("-config: %w", err)
	}
	defer f.Close()
	text, err := content.ReadAll(f, longestConfig)
	if err != nil {
		return nil, fmt.Errorf("-config: %w", err)
	}
	values, err := parseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("-config %s: %w; write KEY: VALUE lines, as vlpx runs show ID -config does", name, err)
	}
	return values, nil
}

// parseConfig reads flags and their values by name.
func parseConfig(text []byte) (values map[string]any, err error) {
	few := loaderlimits.New(loaderlimits.DepthValue(20), loaderlimits.AliasValue(20))
	err = yaml.Load(text, &values, yaml.WithV3Defaults(), yaml.WithPlugin(few))
	return values, err
}

// joined are the values that a flag is set to, one after another.
func joined(flag *pflag.Flag, words []string) []string {
	if flag.Value.Type() == "stringArray" {
		return words
	}
	return []string{strings.Join(words, ",")}
}

// set adds settings to those that were given, which win.
func set(c *cobra.Command, flag *pflag.Flag, assignments []string) error {
	given, err := c.Flags().GetStringArray(flag.Name)
	if err != nil {
		return err
	}
	of := func(assignment string) (string, error) {
		key, _, _ := strings.Cut(assignment, "=")
		x, err := scale.FindSetting(key)
		return x.Name, err
	}
	wins := map[string]bool{}
	for _, assignment := range given {
		if name, err := of(assignment); err == nil { // else it is refused later
			wins[name] = true
		}
	}
	for _, assignment := range assignments {
		name, err := of(assignment)
		if err == nil && !wins[name] {
			err = c.Flags().Set(flag.Name, assignment)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wordsOf is a value as words: of a mapping "key=value" each.
func wordsOf(value any) (words []string, err error) {
	switch v := value.(type) {
	case nil:
		return nil, errors.New("it has no value; leave it out")
	case []any:
		for _, one := range v {
			of, err := wordsOf(one)
			if err != nil {
				return nil, err
			}
			words = append(words, of...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			of, err := wordsOf(v[key])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			words = append(words, key+"="+strings.Join(of, ","))
		}
	default:
		words = []string{fmt.Sprint(v)}
	}
	return words, nil
}
