package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/run"
)

func rmCommand() *cobra.Command {
	var home string
	var force, yes bool
	var f lab.RunFilter
	var since age
	c := &cobra.Command{
		Use:   "rm ID... | rm -scale tiny -engine go [-yes]",
		Short: "Remove runs of the store, by their names or all that flags choose",
		Long: "Remove runs of the store, each by the beginning of its name, or all that flags choose: these are listed, and removed with -yes. " +
			"One that a process is at is never removed, one that other runs need only with -force.",
		Example: "  vlpx rm 1ad961c2 a80abf64\n  vlpx rm -scale tiny -engine go\n  vlpx rm -scale tiny -engine go -yes",
		RunE: func(c *cobra.Command, args []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			f.Since = time.Duration(since)
			switch {
			case f.Empty() && len(args) == 0:
				return someRuns(0)(c, args)
			case !f.Empty() && len(args) > 0:
				return fmt.Errorf("rm takes names of runs, or flags that choose some, not both; leave %s or the flags out", args[0])
			case !f.Empty() && !yes:
				list, err := store.Runs(f)
				if err != nil {
					return err
				}
				if err := list.Text(c.OutOrStdout(), terminal()); err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), "Nothing is removed yet: the same with -yes removes them.")
				return nil
			}
			return store.Remove(c.Context(), lab.Removal{IDs: args, Of: f, Force: force},
				func(r lab.Removed) { fmt.Fprintln(c.OutOrStdout(), r) })
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "remove those that flags choose")
	bindFilter(c, &f, &since)
	c.Flags().BoolVar(&force, "force", false, "runs, too, that others need: these keep their results, and train them again to go on")
	bindHome(c, &home)
	return c
}

func pruneCommand() *cobra.Command {
	var home string
	var yes bool
	var f lab.RunFilter
	var since age
	kinds := strings.Join(run.PruneKinds(), ", ")
	c := &cobra.Command{
		Use:   "prune [KIND...]",
		Short: "Say what of the store can be made again or is of no use any more, and with -yes remove it",
		Long: `Says what of the store can be made again, or is of no use any more, and with -yes removes the kinds named:

orphans      runs that only others needed, such as a warm start, where none of these is there (and a day has passed); runs of code of
             yours that has changed since; folders without a run; what processes that were killed left; plans and logs of sweeps of which all is done
checkpoints  weights of finished runs that no other run needs: the results stay, the models cannot be measured, exported or explored
stale        runs of older versions, whose numbers this one's are not, and of other code than this program's

A run that a process is at, or that another one needs which stays, stays.`,
		Example: "  vlpx prune\n  vlpx prune orphans stale -yes",
		Args: func(_ *cobra.Command, args []string) error {
			for _, kind := range args {
				if !slices.Contains(run.PruneKinds(), kind) {
					return fmt.Errorf("nothing called %q can be pruned; there are %s", kind, kinds)
				}
			}
			if yes && len(args) == 0 {
				return fmt.Errorf("-yes needs what to remove, of %s; without it prune says what there is", kinds)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			what, err := store.Prunable(args...)
			if err != nil {
				return err
			}
			f.Since = time.Duration(since)
			what = what.Of(f)
			if len(what) == 0 {
				fmt.Fprintln(c.OutOrStdout(), "nothing to prune")
				return nil
			}
			if yes {
				return store.Prune(c.Context(), what, func(r lab.Removed) { fmt.Fprintln(c.OutOrStdout(), r) })
			}
			if err := what.Table().Text(c.OutOrStdout(), terminal()); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "Nothing is removed yet: name kinds with -yes, as in vlpx prune orphans -yes.")
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "remove it")
	bindFilter(c, &f, &since)
	bindHome(c, &home)
	return c
}

func storeCommand() *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:     "store",
		Short:   "Say what the store takes; store verify, export and import",
		Example: "  vlpx store\n  vlpx store verify\n  vlpx store export 1ad961c2 a80abf64 -o runs.tar.gz\n  vlpx store import runs.tar.gz",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("store has verify, export and import, not %q; see %s -h", args[0], c.CommandPath())
		},
		RunE: func(c *cobra.Command, _ []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			table, err := store.Overview()
			if err != nil {
				return err
			}
			return table.Text(c.OutOrStdout(), terminal())
		},
	}
	bindHome(c, &home)
	c.AddCommand(verifyCommand(), archiveCommand(), importCommand())
	return c
}

func verifyCommand() *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Read all that the store has of runs, and name what is damaged, with what to do",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			found, err := store.Verify(c.Context())
			if err != nil {
				return err
			}
			if len(found.Problems) > 0 {
				if err := found.Table().Text(c.OutOrStdout(), terminal()); err != nil {
					return err
				}
			}
			if found.Damaged() {
				return errors.New(found.String())
			}
			fmt.Fprintln(c.OutOrStdout(), found)
			return nil
		},
	}
	bindHome(c, &home)
	return c
}

func archiveCommand() *cobra.Command {
	var home, file string
	var of run.Archive
	c := &cobra.Command{
		Use:     "export ID...",
		Short:   "Write finished runs into one archive, with those that they need, for another machine's store",
		Example: "  vlpx store export 1ad961c2 a80abf64 -o runs.tar.gz\n  vlpx store export 1ad961c2 -results -o results.tar.gz",
		Args:    someRuns(0),
		RunE: func(c *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("store export needs a file to write; name it with -o FILE")
			}
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			of.IDs = args
			exported, err := store.Export(c.Context(), file, of)
			for _, e := range exported.Runs {
				fmt.Fprintf(c.OutOrStdout(), "%s  %s, seed %d\n", run.Short(e.ID), e.Method(), e.Run.Train.Seed)
			}
			if err == nil {
				fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", file)
			}
			return err
		},
	}
	c.Flags().StringVarP(&file, "out", "o", "", "the archive's `file`")
	c.Flags().BoolVar(&of.Alone, "alone", false, "without the runs that these need")
	c.Flags().BoolVar(&of.Results, "results", false, "without weights: for tables and curves, not for measuring again or going on")
	bindHome(c, &home)
	return c
}

func importCommand() *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:     "import FILE",
		Short:   "Take the runs of an archive into the store, once all of it is verified; a run that is there stays as it is",
		Example: "  vlpx store import runs.tar.gz",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("store import needs one archive, a file that vlpx store export wrote; see %s -h", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			imported, err := store.Import(c.Context(), args[0])
			if err != nil && len(imported.Taken)+len(imported.There) == 0 {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), imported)
			return err
		},
	}
	bindHome(c, &home)
	return c
}
