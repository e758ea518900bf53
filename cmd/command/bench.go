package command

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/vlpx/lab"
)

func benchCommand() *cobra.Command {
	var o options
	var of lab.Speed
	var pairs []float64
	var asJSON, markdown bool
	var read []string
	var steps int
	c := &cobra.Command{
		Use:   "bench [METHOD...]",
		Short: "Measure how fast training is here: step, loader, sampler, evaluation and writing, also against PyTorch",
		Example: "  vlpx bench -scale mini\n  vlpx bench ALBEF GRIT-VLP -batches 32,64 -what step,sampler\n" +
			"  vlpx bench -frameworks ALBEF,CLIP,SimCLR -what step -peer -runs 4\n" +
			"  vlpx bench -framework CLIP -batches 256,1024,4096 -chunks 0,64",
		RunE: func(c *cobra.Command, args []string) error {
			of.Methods, o.Own = args, methods
			if len(read) > 0 {
				results, err := lab.ReadSpeed(read)
				if err != nil {
					return err
				}
				t := bench.Together(results)
				if markdown {
					return t.Markdown(c.OutOrStdout())
				}
				return t.Text(c.OutOrStdout(), terminal())
			}
			for _, n := range pairs {
				if n != math.Trunc(n) || math.Abs(n) > 1e15 {
					return fmt.Errorf("-pairs %g: take whole numbers, such as 4e6", n)
				}
				of.Pairs = append(of.Pairs, int(n))
			}
			if steps >= 0 {
				return lab.MakeSteps(c.Context(), of, o.Options, steps)
			}
			beside, err := lab.BesideBy("-steps")
			if err != nil {
				return err
			}
			result, err := lab.MeasureSpeed(c.Context(), of, o.Options, beside, func(line string) { fmt.Fprintln(c.ErrOrStderr(), line) })
			if err != nil {
				return err
			}
			if asJSON {
				lines := json.NewEncoder(c.OutOrStdout())
				lines.SetIndent("", "  ")
				return lines.Encode(result)
			}
			for k, table := range result.Tables() {
				if k > 0 {
					fmt.Fprintln(c.OutOrStdout())
				}
				show := func() error { return table.Text(c.OutOrStdout(), terminal()) }
				if markdown {
					show = func() error { return table.Markdown(c.OutOrStdout()) }
				}
				if err := show(); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.bind(c)
	flags := c.Flags()
	for _, name := range []string{"seeds", "without", "data2"} {
		flags.MarkHidden(name)
	}
	flags.StringSliceVar(&of.Frameworks, "frameworks", nil, "`frameworks` to measure, separated by commas (default that of -framework)")
	flags.StringSliceVar(&of.Scales, "scales", nil, "`scales` to measure at, separated by commas (default that of -scale)")
	flags.IntSliceVar(&of.Batches, "batches", nil, "`sizes` of mini-batches, separated by commas (default the scale's)")
	flags.StringSliceVar(&of.What, "what", nil, "what to measure: "+strings.Join(bench.Kinds(), ", ")+" (default all)")
	flags.IntVar(&of.Rounds, "rounds", 0, "turns of each part of a step, of five steps each (default 10)")
	flags.BoolVar(&of.Peer, "peer", false, "let PyTorch make the same steps in turn with ours; it needs python3 with torch and numpy")
	flags.IntSliceVar(&of.Runs, "runs", nil, "measure steps of `N,...` runs at once, too, each a process of its own on its share of the processors")
	flags.StringSliceVar(&of.Parts, "parts", nil, "`parts` of a step to measure: "+strings.Join(bench.PartNames(), ", ")+
		" (default all)")
	flags.StringSliceVar(&of.Modes, "modes", nil, "`modes` of PyTorch that race: "+strings.Join(bench.Modes(), ", ")+
		" (default all that there are)")
	flags.DurationVar(&of.Ready, "ready", 0, "how long PyTorch may take to get ready for a step, all its ways together, a `time` such as "+
		"90s (default as long as it takes)")
	flags.BoolVar(&of.Alone, "alone", false, "with -peer: where PyTorch cannot make the same step, measure ours alone and say why")
	flags.Float64Var(&of.Peak, "peak", 0, "what the device computes at most at the precision of the products by its maker's word, in "+
		"`TFLOP/s`, for MFU")
	flags.BoolVar(&of.Costs, "costs", false,
		"measure instead how costs grow with search space, training pairs, mini-batch, cores and test "+
			"split")
	flags.BoolVar(&of.Ops, "ops", false, "measure instead where the time of a step goes by kinds of work, beside what the machine could do; "+
		"on ONNX Runtime")
	flags.IntSliceVar(&of.Chunks, "chunks", nil, "measure instead whole steps in chunks of `N,...` pairs, 0 for whole mini-batches, each in a "+
		"process of its own: time and memory")
	flags.Float64SliceVar(&pairs, "pairs", nil, "with -costs: `numbers` of training pairs to compute them for, such as 4e6,14e6 (default "+
		"4e6,14e6,400e6)")
	flags.IntVar(&of.Workers, "workers", 0, "with -costs: workers that share those pairs (default 8)")
	flags.IntVar(&steps, "steps", -1, "make steps of the case with this index on request, beside the process that measures")
	flags.MarkHidden("steps")
	flags.BoolVar(&asJSON, "json", false, "print everything that was measured as JSON")
	flags.BoolVar(&markdown, "markdown", false, "print the table as Markdown")
	flags.StringSliceVar(&read, "read", nil, "measure nothing; show the whole steps in `files` that bench -json has written, separated by "+
		"commas, in one table")
	return c
}
