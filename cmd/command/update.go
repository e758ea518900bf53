package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vlpx.internal/vlpx/lab"
)

// measuredBy are the flags that say by what and on what eval measures, which -update takes from the runs.
var measuredBy = []string{"split", "task", "prompts", "targets", "alpha", "answers", "of", "version", "before"}

// onlyRuns refuses flags that mean nothing with -update.
func onlyRuns(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(measuredBy, f.Name) {
			err = fmt.Errorf("eval -update adds what the runs' own tasks measure on the test split; leave -%s out", f.Name)
		}
	})
	return err
}

// updateResults adds to the finished runs of a method, or of the artifact that is named, the metrics that their results lack.
func updateResults(c *cobra.Command, o *options, name string) error {
	if err := o.complete(c.Context()); err != nil {
		return err
	}
	var what any = name
	if !strings.Contains(name, "/") { // as every artifact's has
		what = []string{name}
	}
	table, err := lab.Update(c.Context(), what, o.Options)
	if err != nil {
		return err
	}
	return table.Text(c.OutOrStdout(), terminal())
}
