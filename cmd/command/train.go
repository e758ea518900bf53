package command

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

func trainCommand() *cobra.Command {
	var o options
	var profile profile
	c := &cobra.Command{
		Use:     "train METHOD",
		Short:   "Train one method, with settings of its own, and print what it measures",
		Example: "  vlpx train GRIT-VLP -scale tiny -seeds 1\n  vlpx train 'GRIT-VLP, searchspace=960'",
		Args: func(c *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fmt.Errorf("train needs a method, such as GRIT-VLP; vlpx show methods names them; see %s -h", c.CommandPath())
			case 1:
				return nil
			}
			return fmt.Errorf("train takes one method, with its settings in quotes, not %q too; vlpx compare trains several; see %s -h",
				args[1],
				c.CommandPath())
		},
		RunE: func(c *cobra.Command, args []string) error {
			grid, err := single(c.Context(), &o, args[0])
			if err != nil {
				return err
			}
			err = profile.around(func(listen func(lab.Progress)) error { return makeRuns(c, grid, listen) })
			if err != nil {
				return err
			}
			marked := false
			for _, r := range grid.Plan.Runs() {
				result, err := grid.Store.Result(r)
				if err != nil {
					return err
				}
				other, err := paper.OtherCode(grid.Store, r)
				if err != nil {
					return err
				}
				marked = marked || other
				fmt.Fprintf(c.OutOrStdout(), "%s\nrun %s in %s%s\n", result, result.ID, grid.Store.Dir(r), codeMark(other))
				printMetrics(c, result.Metrics, result.Epochs)
				if err := printBefore(c, grid, r, result); err != nil {
					return err
				}
			}
			if marked {
				fmt.Fprintln(c.OutOrStdout(), paper.CodeMeaning)
			}
			return nil
		},
	}
	o.bind(c)
	o.bindTensorBoard(c)
	profile.bind(c)
	return c
}

// printBefore lists what a run of a published model has measured beside what that was before training.
func printBefore(c *cobra.Command, grid *lab.Grid, r run.Run, result run.Result) error {
	if r.Weights.Model == nil {
		return nil
	}
	fmt.Fprintf(c.OutOrStdout(), "on the test split, before training and after it:\n")
	for _, task := range r.Tasks {
		before, err := grid.EvaluateFirst(c.Context(), r, "test", task)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			fmt.Fprintf(c.OutOrStdout(), "  %-18s %8.2f %8.2f\n", name, before[name], result.Metrics[name])
		}
	}
	return nil
}

func evalCommand() *cobra.Command {
	var o options
	var split, task string
	given := map[string]*[]string{} // by the flags of tasks
	settings := func(rerank int) map[string][]string {
		all := map[string][]string{"rerank": {strconv.Itoa(rerank)}}
		for name, values := range given {
			all[name] = *values
		}
		return all
	}
	var update, before bool
	c := &cobra.Command{
		Use:   "eval METHOD | eval FOLDER | eval -update METHOD|ARTIFACT",
		Short: "Measure a method's trained runs, or an exported model, by a task on a split",
		Example: "  vlpx eval GRIT-VLP -scale tiny -seeds 1 -split val\n  vlpx eval exported/grit-vlp -split test\n" +
			"  vlpx eval GRIT-VLP -task classes -prompts 'an object on {}'\n" +
			"  vlpx eval GRIT-VLP -task transfer -targets cifar100 -targets cifar100:coarse\n" +
			"  vlpx eval -update GRIT-VLP\n  vlpx eval -update falcon/table1",
		Args: methodOrFolder,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if update {
				return updateResults(c, &o, args[0])
			}
			if isFolder(args[0]) {
				of, err := lab.Task(task, settings(1))
				if err != nil {
					return err
				}
				var tasks []eval.Task // none: those of the model's run, whose retrieval knows its candidates
				if !eval.IsUsual(of) {
					tasks = append(tasks, of)
				}
				folder, metrics, err := lab.EvaluateExport(c.Context(), args[0], split, o.Options, tasks...)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "%s, seed %d, split %s\n", folder.VLPX.Method, folder.VLPX.Seed, split)
				printMetrics(c, metrics, nil, of)
				return nil
			}
			grid, err := single(c.Context(), &o, args[0])
			if err != nil {
				return err
			}
			of, err := lab.Task(task, settings(grid.Plan.Scale.Rerank))
			if err != nil {
				return err
			}
			marked := false
			for _, r := range grid.Plan.Rows[0] {
				if before {
					metrics, err := grid.EvaluateFirst(c.Context(), r, split, of)
					if err != nil {
						return err
					}
					fmt.Fprintf(c.OutOrStdout(), "%s, seed %d, split %s, before training\n", r.Train.Method.Name, r.Train.Seed, split)
					printMetrics(c, metrics, nil, of)
					continue
				}
				metrics, err := grid.Evaluate(c.Context(), r, split, of)
				if err != nil {
					return err
				}
				other, err := grid.OtherCode(r, split, of)
				if err != nil {
					return err
				}
				marked = marked || other
				fmt.Fprintf(c.OutOrStdout(), "%s, seed %d, split %s%s\n", r.Train.Method.Name, r.Train.Seed, split, codeMark(other))
				printMetrics(c, metrics, nil, of)
			}
			if marked {
				fmt.Fprintln(c.OutOrStdout(), paper.CodeMeaning)
			}
			return nil
		},
	}
	o.bind(c)
	c.Flags().BoolVar(&update, "update", false, "add to results of finished runs the metrics that they lack today, from the kept models; "+
		"nothing is trained")
	c.Flags().BoolVar(&before, "before", false, "measure what a run begins with, before its first step, such as a published model that "+
		"-weights model= names; the run need not be trained")
	c.Flags().StringVar(&split, "split", "test", "the split to measure on")
	c.Flags().StringVar(&task, "task", eval.Usual, "what to measure by, one that vlpx show tasks lists")
	for _, flag := range eval.Flags() {
		if flag.Usage != "" {
			given[flag.Name] = c.Flags().StringArray(flag.Name, nil, flag.Usage)
		}
	}
	return c
}

// methodOrFolder takes one argument, and with a folder only the flags that mean something for an exported model.
func methodOrFolder(c *cobra.Command, args []string) (err error) {
	switch {
	case len(args) == 0:
		return fmt.Errorf("eval needs a method, such as GRIT-VLP, or the folder of an exported model; see %s -h", c.CommandPath())
	case len(args) > 1:
		return fmt.Errorf("eval measures one method or one exported model, not %q too; see %s -h", args[1], c.CommandPath())
	case c.Flags().Changed("update"):
		return onlyRuns(c)
	case !isFolder(args[0]):
		return nil
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		ofTask := slices.ContainsFunc(eval.Flags(), func(of eval.Flag) bool { return of.Name == f.Name })
		if !ofTask && !slices.Contains([]string{"data", "regions", "weights", "home", "split", "task"}, f.Name) {
			err = fmt.Errorf("eval %s: -%s is that of the exported model; leave it out", args[0], f.Name)
		}
	})
	return err
}

// isFolder reports whether an argument is an exported model's folder rather than a method: what is no method's name, and is a folder or is
// written as a path.
func isFolder(arg string) bool {
	if _, err := plan.Variant(arg, nil); err == nil {
		return false
	}
	return isDir(arg) || strings.ContainsRune(arg, filepath.Separator)
}

// single plans the runs of one method.
func single(ctx context.Context, o *options, method string) (*lab.Grid, error) {
	if err := o.complete(ctx); err != nil {
		return nil, err
	}
	return lab.OpenComparison([]string{method}, o.Options)
}

// codeMark marks a run of other code than this program's.
func codeMark(other bool) string {
	if !other {
		return ""
	}
	return fmt.Sprintf(" (%s)", paper.OfCode{Other: 1, Runs: 1}.Mark())
}

// printMetrics lists metrics: those of evaluation by tasks with what they are, then the others, which are the same without re-ranking and
// what training counted.
func printMetrics(c *cobra.Command, metrics map[string]float64, epochs []train.Record, tasks ...eval.Task) {
	width := 0
	for name := range metrics {
		width = max(width, len(name))
	}
	known := map[string]bool{}
	for _, info := range append(eval.Tasks(tasks).Metrics(), eval.Metrics()...) {
		name, decimals := string(info.Metric), 2
		if info.Unit == "" {
			decimals = 3
		}
		if v, ok := metrics[name]; ok && !known[name] {
			fmt.Fprintf(c.OutOrStdout(), "  %-*s %7.*f %-1s   %s\n", width, name, decimals, v, info.Unit, info.What)
		}
		known[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if !known[name] {
			fmt.Fprintln(c.OutOrStdout(), strings.TrimRight(fmt.Sprintf("  %-*s %7.2f %s", width, name, metrics[name],
				lab.MetricUnit(name, epochs)), " "))
		}
	}
}
