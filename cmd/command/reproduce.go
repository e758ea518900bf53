package command

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/lab"
)

func reproduceCommand() *cobra.Command {
	var o options
	files := usualFiles()
	c := &cobra.Command{
		Use:   "reproduce ID...",
		Short: "Run what is missing of an artifact and print it beside the paper's numbers",
		Example: "  vlpx reproduce falcon/table1 -scale tiny\n" +
			"  vlpx reproduce falcon/table1 -data flickr8k -methods ALBEF,GRIT-VLP -seeds 1-5",
		Args: needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.completeFor(c.Context(), ids); err != nil {
				return err
			}
			if err := files.check(len(ids)); err != nil {
				return err
			}
			grids := make([]*lab.Grid, len(ids))
			for i, id := range ids { // what is wrong shows before hours of training
				var err error
				if grids[i], err = lab.Open(id, o.Options); err != nil {
					return err
				}
				if err := files.prepare(files.base(grids[i])); err != nil {
					return err
				}
			}
			for _, grid := range grids {
				if err := reproduce(c, grid, files); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.bind(c)
	o.bindTensorBoard(c)
	o.bindMethods(c)
	o.bindView(c)
	files.bind(c)
	return c
}

func compareCommand() *cobra.Command {
	var o options
	files := usualFiles()
	var runs []string
	c := &cobra.Command{
		Use:   "compare METHOD... | compare -runs ID,ID",
		Short: "Train methods, each with settings of its own, and compare each with the first; or compare finished runs",
		Example: "  vlpx compare GRIT-VLP FALCON -scale tiny\n" +
			"  vlpx compare InfoNCE 'InfoNCE, temperature=.2' 'Hard quantile, hard=.7'\n" +
			"  vlpx compare -runs 1ad961c2,a80abf64",
		Args: func(c *cobra.Command, methods []string) (err error) {
			if !c.Flags().Changed("runs") {
				if len(methods) == 0 {
					return fmt.Errorf("compare needs methods, such as GRIT-VLP FALCON; vlpx show methods names them; see %s -h",
						c.CommandPath())
				}
				return nil
			}
			if len(methods) > 0 {
				return fmt.Errorf("compare -runs takes runs that are finished, not the method %q too; see %s -h", methods[0],
					c.CommandPath())
			}
			c.Flags().Visit(func(f *pflag.Flag) {
				if !slices.Contains([]string{"runs", "home", "out", "o", "tables", "figures", "title", "width", "height", "panels",
					"typeface", "metrics", "rows", "curves"}, f.Name) {
					err = fmt.Errorf("compare -runs: -%s is that of the runs; leave it out", f.Name)
				}
			})
			return err
		},
		RunE: func(c *cobra.Command, methods []string) error {
			if err := o.complete(c.Context()); err != nil {
				return err
			}
			if err := files.check(1); err != nil {
				return err
			}
			if c.Flags().Changed("runs") {
				return compareRuns(c, o, files, runs)
			}
			grid, err := lab.OpenComparison(methods, o.Options)
			if err != nil {
				return err
			}
			if err := files.prepare(files.base(grid)); err != nil {
				return err
			}
			return reproduce(c, grid, files)
		},
	}
	o.bind(c)
	o.bindTensorBoard(c)
	o.bindView(c)
	files.bind(c)
	c.Flags().StringSliceVar(&runs, "runs", nil, "finished `runs` of the store to compare, by the beginnings of their names; those that "+
		"differ in the seed alone are a row")
	return c
}

func showCommand() *cobra.Command {
	var o options
	var files outputs
	c := &cobra.Command{
		Use: "show ID...",
		Short: "Print an artifact from the store and the shipped reference results, running nothing; or a list: methods, " +
			"frameworks, tasks, settings [NAME...], falcon",
		Example: "  vlpx show falcon/table1\n  vlpx show settings -scale tiny\n  vlpx show settings schedule\n  vlpx show settings epochs",
		Args:    needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.completeFor(c.Context(), ids); err != nil {
				return err
			}
			if err := files.check(len(ids)); err != nil {
				return err
			}
			if ids[0] == "settings" {
				list, err := lab.Settings(ids[1:], o.Options)
				if err != nil {
					return err
				}
				return list.Text(c.OutOrStdout(), terminal())
			}
			for _, id := range ids {
				if list, ok := lab.List(id, methods...); ok {
					if err := list.Text(c.OutOrStdout(), terminal()); err != nil {
						return err
					}
					continue
				}
				grid, err := lab.OpenShown(id, o.Options)
				if err != nil {
					return err
				}
				remark(c, grid)
				report, err := grid.Report()
				if err != nil {
					return err
				}
				if err := report.Text(c.OutOrStdout(), terminal()); err != nil {
					return err
				}
				if err := files.prepare(files.base(grid)); err != nil {
					return err
				}
				if err := files.write(c, files.base(grid), report); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.bind(c)
	o.bindMethods(c)
	o.bindView(c)
	files.bind(c)
	return c
}

func needsIDs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s needs an artifact, such as falcon/table1; vlpx list names them", c.Name())
	}
	return nil
}

// reproduce makes one artifact and puts its files beside each other.
func reproduce(c *cobra.Command, grid *lab.Grid, files outputs) error {
	if err := makeRuns(c, grid); err != nil {
		return err
	}
	return show(c, grid, files)
}

// show prints one artifact from the store and puts its files beside each other.
func show(c *cobra.Command, grid *lab.Grid, files outputs) error {
	report, err := grid.Report()
	if err != nil {
		return err
	}
	if err := report.Text(c.OutOrStdout(), terminal()); err != nil {
		return err
	}
	if mixed := report.Mixed(); mixed != "" {
		fmt.Fprintln(c.ErrOrStderr(), mixed)
	}
	return files.write(c, files.base(grid), report)
}

// remark reports what there is to know of a grid's settings.
func remark(c *cobra.Command, grid *lab.Grid) {
	for _, line := range grid.Remarks() {
		fmt.Fprintln(c.ErrOrStderr(), line)
	}
}

// makeRuns runs what is missing of a grid.
func makeRuns(c *cobra.Command, grid *lab.Grid, also ...func(lab.Progress)) error {
	remark(c, grid)
	outlook, err := grid.Outlook()
	if err != nil {
		return err
	}
	for _, line := range outlook {
		fmt.Fprintln(c.ErrOrStderr(), line)
	}
	bars := newBars(c.ErrOrStderr())
	err = grid.Make(c.Context(), func(p lab.Progress) {
		bars.listen(p)
		for _, listen := range also {
			listen(p)
		}
	})
	bars.finish()
	return err
}

// terminal says how wide and how rich the output may be.
func terminal() tables.Terminal {
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return tables.Terminal{Width: width, Style: true}
	}
	return tables.Terminal{Width: 120}
}
