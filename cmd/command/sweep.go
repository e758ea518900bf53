package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/ending"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/sweep"
)

func sweepCommand() *cobra.Command {
	var o options
	var how lab.Sweeping
	files := usualFiles()
	c := &cobra.Command{
		Use: "sweep ID...",
		Short: "Run what is missing of artifacts by many processes: on this machine, on hosts by ssh, by Slurm or by Kubernetes; then print them as " +
			"reproduce does",
		Example: "  vlpx sweep falcon/table1 -scale tiny -jobs 2\n" +
			"  vlpx sweep falcon/table1 -launcher ssh -hosts hosts.txt\n" +
			"  vlpx sweep falcon/table1 falcon/table4 -launcher slurm -slurm timeout_min=240 -slurm partition=gpu -slurm gpus_per_node=1",
		Args: needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.completeFor(c.Context(), ids); err != nil {
				return err
			}
			if err := files.check(len(ids)); err != nil {
				return err
			}
			s, err := lab.OpenSweep(ids, o.Options)
			if err != nil {
				return err
			}
			s.UseCommand("sweep", "work")
			for _, grid := range s.Grids {
				if err := files.prepare(files.base(grid)); err != nil {
					return err
				}
				remark(c, grid)
			}
			switch {
			case how.DryRun || how.Launcher == "k8s":
				script, err := s.Script(how)
				if err != nil {
					return err
				}
				fmt.Fprint(c.OutOrStdout(), script)
				if !how.DryRun {
					fmt.Fprintf(c.ErrOrStderr(), "the plan is %s; start the job by kubectl apply -f, follow it by vlpx list, and print "+
						"the tables by "+
						"vlpx show\n", s.PlanFile())
				}
				return nil
			case how.Submit:
				submitted, err := s.Submit(c.Context(), how)
				if err == nil {
					fmt.Fprintln(c.OutOrStdout(), submitted)
				}
				return err
			}
			follower := &sweepLines{w: c.ErrOrStderr(), sweep: s}
			defer ending.Hold()() // it ends its workers
			if err := s.Run(c.Context(), how, follower.listen); err != nil {
				return err
			}
			for _, grid := range s.Grids {
				if err := show(c, grid, files); err != nil {
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
	flags := c.Flags()
	flags.StringVar(&how.Launcher, "launcher", "local", "who starts the workers: local, ssh, slurm or k8s")
	flags.StringVar(&how.Hosts, "hosts", "", "a `file` of the hosts of ssh, HOST [jobs=N] [gpus=0,1] a line, which have the store at the same "+
		"path (docs/USE.md)")
	flags.IntVar(&how.Jobs, "jobs", 0, "processes at once on this machine, each pinned to processors of its own (default one a GPU that "+
		"the engine uses, else as many as are fastest)")
	flags.StringArrayVar(&how.Slurm, "slurm", nil, "a setting of Slurm by `key=value`, such as timeout_min=240, partition=gpu, or any "+
		"option of sbatch; may be repeated (docs/USE.md)")
	flags.StringArrayVar(&how.K8s, "k8s", nil, "a setting of Kubernetes by `key=value`, such as image=..., claim=...; may be repeated "+
		"(docs/USE.md)")
	flags.BoolVar(&how.Submit, "submit", false,
		"return as soon as Slurm has the jobs; the same command without it follows them and prints "+
			"the tables")
	flags.BoolVar(&how.DryRun, "dry-run", false, "print the scripts for sbatch, and submit nothing")
	c.AddCommand(sweepWorkCommand())
	return c
}

// sweepWorkCommand is the worker that launchers start.
func sweepWorkCommand() *cobra.Command {
	var call sweep.Call
	c := &cobra.Command{
		Use:   "work PLAN",
		Short: "Do one task of a sweep's plan, that of $SLURM_ARRAY_TASK_ID or $JOB_COMPLETION_INDEX; what launchers start",
		Long: `Does one task of a sweep's plan (plan.json in a folder of the store's sweeps): that of $SLURM_ARRAY_TASK_ID or
$JOB_COMPLETION_INDEX, or of -task. A task whose result is there is skipped. SIGTERM and SIGUSR1 have it keep a checkpoint and exit with status 75, which means: start me again.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("sweep work needs one plan, a file that vlpx sweep ID wrote; see %s -h", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			call.Plan = args[0]
			defer ending.Hold()()                       // what started it waits for its status
			return lab.Work(c.Context(), call, methods) // its signals are the worker's, which main's context ends with, too
		},
	}
	c.Flags().IntVar(&call.From, "from", 0, "the task that the scheduler's index 0 stands for")
	c.Flags().IntVar(&call.Task, "task", -1, "the task, in the place of a scheduler's index; the worker ends with its standard input")
	c.Flags().BoolVar(&call.Steps, "steps", false, "make steps of the task's run on request, and not the task")
	return c
}

// sweepLines prints how far a sweep is: a line whenever it has got further.
type sweepLines struct {
	w     io.Writer
	sweep *lab.Sweep
	last  string
}

func (l *sweepLines) listen(p sweep.Progress) {
	if p.Message != "" {
		fmt.Fprintln(l.w, p.Message)
		return
	}
	line := p.String()
	if at := l.sweep.Details(p); len(at) > 0 {
		line += ": " + strings.Join(at, "; ")
	}
	if line != l.last {
		l.last = line
		fmt.Fprintln(l.w, line)
	}
}
