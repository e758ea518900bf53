package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
)

func runsCommand() *cobra.Command {
	var f lab.RunFilter
	var since age
	var asJSON bool
	var home string
	c := &cobra.Command{
		Use:     "runs",
		Short:   "List the runs of the store, the latest first; runs show ID tells all of one",
		Example: "  vlpx runs -since 3d -method GRIT\n  vlpx runs -unfinished\n  vlpx runs show 1ad961c2 -o curves.png",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("runs takes flags, or show ID, not %q; vlpx runs show %s tells of a run of that name; see %s -h",
				args[0], args[0],
				c.CommandPath())
		},
		RunE: func(c *cobra.Command, _ []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			f.Since = time.Duration(since)
			list, err := store.Runs(f)
			if err != nil {
				return err
			}
			if asJSON {
				return list.JSON(c.OutOrStdout())
			}
			return list.Text(c.OutOrStdout(), terminal())
		},
	}
	flags := c.Flags()
	bindFilter(c, &f, &since)
	flags.BoolVar(&f.Unfinished, "unfinished", false, "those that are not finished")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	bindHome(c, &home)
	c.AddCommand(showRunCommand())
	return c
}

// bindFilter binds the flags that choose runs.
func bindFilter(c *cobra.Command, f *lab.RunFilter, since *age) {
	flags := c.Flags()
	flags.Var(since, "since", "those finished or last written to at most so `long` ago: 90m, 12h, 3d, 2w")
	flags.StringVar(&f.Method, "method", "", "those whose method's `name`, settings included, has this in it")
	flags.StringVar(&f.Scale, "scale", "", "those of this `scale`")
	flags.StringVar(&f.Engine, "engine", "", "those whose engine's `name` has this in it, such as go or onnx")
	flags.StringVar(&f.Data, "data", "", "those whose data's `name` has this in it")
}

func showRunCommand() *cobra.Command {
	var home, file string
	var asJSON, asConfig bool
	c := &cobra.Command{
		Use:     "show ID",
		Short:   "Print what the store has of a run: what it is, metrics, epochs, configuration",
		Example: "  vlpx runs show 1ad961c2\n  vlpx runs show 1ad961c2 -o curves.png",
		Args:    someRuns(1),
		RunE: func(c *cobra.Command, args []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			page, err := store.Run(args[0])
			if err != nil {
				return err
			}
			if asConfig {
				config, err := page.Config()
				c.OutOrStdout().Write(config)
				return err
			}
			if asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(page)
			}
			if err := page.Text(c.OutOrStdout(), terminal()); err != nil || file == "" {
				return err
			}
			if err := page.SaveFigure(file); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", file)
			return nil
		},
	}
	c.Flags().StringVarP(&file, "out", "o", "", "draw its curves to this `file`: .png, .svg or .pdf")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&asConfig, "config", false, "print method, scale and settings as a file that -config reads")
	bindHome(c, &home)
	return c
}

// compareRuns compares finished runs of the store.
func compareRuns(c *cobra.Command, o options, files outputs, ids []string) error {
	store, err := lab.OpenStore(o.Home)
	if err != nil {
		return err
	}
	report, err := store.Compare(ids)
	if err != nil {
		return err
	}
	base := cmp.Or(files.name, filepath.Join(files.dir, "vlpx", report.RunsFileName(o.View)))
	if report, err = report.Viewed(o.View); err != nil {
		return err
	}
	if err := files.prepare(base); err != nil {
		return err
	}
	if err := report.Text(c.OutOrStdout(), terminal()); err != nil {
		return err
	}
	return files.write(c, base, report)
}

// someRuns takes runs as arguments, most of them at most, or any number for 0.
func someRuns(most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s needs a run, by the beginning of its name; vlpx runs says which there are; see %s -h", c.Name(),
				c.CommandPath())
		case most > 0 && len(args) > most:
			return fmt.Errorf("%s takes one run, not %q too; see %s -h", c.Name(), args[1], c.CommandPath())
		}
		return nil
	}
}

// age is a duration that may be told in days and weeks.
type age time.Duration

func (a *age) String() string {
	if *a == 0 {
		return ""
	}
	return time.Duration(*a).String()
}

func (a *age) Type() string { return "age" }

func (a *age) Set(text string) error {
	d, err := parseAge(text)
	*a = age(d)
	return err
}

// parseAge reads a duration: 3d, 2w, or as Go writes them, 90m or 1h30m.
func parseAge(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	wrong := errors.New("write it as 90m, 12h, 3d or 2w")
	for unit, length := range map[string]time.Duration{"d": day, "w": 7 * day} {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		d := time.Duration(n * float64(length))
		if err != nil || !(n < float64(math.MaxInt64)/float64(length)) || d <= 0 {
			return 0, wrong
		}
		return d, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, wrong
	}
	return d, nil
}
