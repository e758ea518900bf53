package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/paper"
)

// referenceCommand is for the project's own use: it makes the reference results that are shipped.
func referenceCommand() *cobra.Command {
	var o options
	var file string
	var check bool
	c := &cobra.Command{
		Use:    "reference ID...",
		Short:  "Put what the store has of artifacts among the shipped reference results",
		Hidden: true,
		Args:   needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.completeFor(c.Context(), ids); err != nil {
				return err
			}
			shipped, err := os.ReadFile(file) // not the program's own copy, which may be older
			if err != nil {
				return err
			}
			all, err := paper.ParseReferences(shipped)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			var drifts []paper.Drift
			for _, id := range ids {
				grid, err := lab.Open(id, o.Options)
				if err != nil {
					return err
				}
				report, err := grid.Report()
				if err != nil {
					return err
				}
				reference, err := paper.NewReference(report.Report)
				if err != nil {
					return err
				}
				if check {
					drifts = append(drifts, paper.Drifts(all, reference)...)
					continue
				}
				all = paper.Merge(all, reference)
			}
			if check {
				return checkDrifts(c.OutOrStdout(), drifts)
			}
			text, err := json.MarshalIndent(all, "", " ")
			if err != nil {
				return err
			}
			if err := disk.WriteFile(file, append(text, '\n'), 0o644); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", file)
			return nil
		},
	}
	o.bind(c)
	o.bindMethods(c)
	c.Flags().StringVar(&file, "file", "vlpx/paper/reference.json", "where the shipped results lie")
	c.Flags().BoolVar(&check, "check", false, "hold what the store has against the shipped results, and write nothing")
	return c
}

// checkDrifts tells how many fresh values are the shipped ones, and which lie too far from them.
func checkDrifts(out io.Writer, drifts []paper.Drift) error {
	if len(drifts) == 0 {
		return errors.New("the store has no run that is shipped; reproduce one first, such as by " +
			"vlpx reproduce falcon/table1 -methods InfoNCE,GRIT-VLP -seeds 1")
	}
	same, far := 0, 0
	for _, d := range drifts {
		switch {
		case d.Fresh == d.Shipped:
			same++
		case d.TooFar():
			far++
			fmt.Fprintf(out, "%s, seed %d, %s: %g, shipped %g, whose seeds have a standard deviation of %.2g\n",
				d.Row, d.Seed, d.Metric, d.Fresh, d.Shipped, d.Std)
		}
	}
	fmt.Fprintf(out, "%d values: %d as shipped, %d within what rounding may do, %d too far off\n",
		len(drifts), same, len(drifts)-same-far, far)
	if far > 0 {
		return fmt.Errorf("%d of %d values are not the shipped runs'; find what changed, or make the results anew", far, len(drifts))
	}
	return nil
}
