package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vlpx.internal/vlpx"
)

// measuredBy are the flags that say by what and on what eval measures, which -update takes from the runs.
var measuredBy = []string{"split", "task", "prompts", "targets", "alpha", "answers", "of", "version"}

// onlyRuns tells of flags that mean nothing with -update.
func onlyRuns(c *cobra.Command, args []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(measuredBy, f.Name) {
			err = fmt.Errorf("eval -update adds what the runs' own tasks measure on the test split; leave -%s out", f.Name)
		}
		if f.Name == "method" && len(args) > 0 {
			err = fmt.Errorf("eval -update takes an artifact or -method, not both; leave %q or -method out", args[0])
		}
	})
	return err
}

// updateResults adds to the finished runs of a method, or of the artifact that is named, the metrics that their results lack.
func updateResults(c *cobra.Command, o *options, method string, args []string) error {
	grid, err := updated(o, method, args)
	if err != nil {
		return err
	}
	table, err := grid.Update(c.Context())
	if err != nil {
		return err
	}
	return table.Text(c.OutOrStdout(), terminal())
}

func updated(o *options, method string, args []string) (*vlpx.Grid, error) {
	if len(args) == 0 {
		return single(o, method)
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	return vlpx.Open(args[0], o.Options)
}
