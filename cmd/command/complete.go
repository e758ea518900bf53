package command

import (
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// completing lets the shell complete what commands and flags take: artifacts, methods with their settings, runs, settings.
func completing(c *cobra.Command) {
	args := map[string]func(typed string) []string{
		"reproduce": artifacts, "sweep": artifacts, "report": artifacts, "reference": artifacts, "show": shownNames,
		"compare": methodNames, "train": methodNames, "eval": methodNames, "bench": methodNames,
		"runs show": runNames, "rm": runNames, "export": runNames, "embed": runNames, "score": runNames, "search": runNames, "store export": runNames,
		"prune": func(string) []string { return run.PruneKinds() },
	}
	flags := map[string]func(typed string) []string{
		"set": func(string) []string { return settings("") }, "methods": methodNames, "runs": runNames, "model": runNames,
		"scale":     func(string) []string { return scale.ScaleNames() },
		"framework": func(string) []string { return frameworks() },
		"typeface":  func(string) []string { return lab.Typefaces() },
	}
	for _, sub := range c.Commands() {
		completing(sub)
		if from := args[strings.TrimPrefix(sub.CommandPath(), c.Root().Name()+" ")]; from != nil {
			sub.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return begun(from(typed), typed)
			}
		}
		for name, from := range flags {
			if sub.Flags().Lookup(name) != nil {
				sub.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
					return begun(from(typed), typed)
				})
			}
		}
	}
}

// begun are the words that begin as is typed, in any case. None means that files are completed. One that ends with = goes on.
func begun(words []string, typed string) (all []string, how cobra.ShellCompDirective) {
	how = cobra.ShellCompDirectiveNoFileComp
	for _, word := range words {
		if len(word) >= len(typed) && strings.EqualFold(word[:len(typed)], typed) {
			all = append(all, word)
			if strings.HasSuffix(word, "=") {
				how |= cobra.ShellCompDirectiveNoSpace
			}
		}
	}
	return all, how
}

func artifacts(string) (ids []string) {
	for _, a := range catalogue.List() {
		ids = append(ids, a.ID)
	}
	return ids
}

func shownNames(string) []string {
	names := append(artifacts(""), "methods", "frameworks", "tasks", "settings")
	for _, x := range scale.Settings() {
		names = append(names, x.Name)
	}
	return names
}

// methodNames are methods, and behind a method and a comma roles and settings.
func methodNames(typed string) (names []string) {
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		before := typed[:i+1] + " "
		if strings.HasSuffix(typed, ",") {
			before = typed + " "
		} else if rest := typed[i+1:]; !strings.HasPrefix(rest, " ") {
			before = typed[:i+1]
		}
		for _, role := range negative.Roles() {
			names = append(names, before+scale.Plainly(role.Label)+"=")
		}
		return append(names, settings(before)...)
	}
	for _, m := range methods {
		names = append(names, m.Name)
	}
	for _, m := range scale.Methods() {
		names = append(names, m.Name)
	}
	return names
}

func settings(before string) (names []string) {
	for _, x := range scale.Settings() {
		names = append(names, before+x.Name+"=")
	}
	return names
}

func frameworks() (names []string) {
	for _, k := range scale.Frameworks() {
		names = append(names, k.Name)
	}
	return names
}

// runNames are those of the usual store's runs.
func runNames(string) (names []string) {
	store, err := lab.OpenStore("")
	if err != nil {
		return nil
	}
	list, err := store.Runs(lab.RunFilter{})
	if err != nil {
		return nil
	}
	for _, r := range list.Runs {
		names = append(names, run.Short(r.ID)+"\t"+r.Method)
	}
	return names
}
