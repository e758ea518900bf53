package command

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/scale"
)

// listed is an artifact as `vlpx list -json` says it.
type listed struct {
	ID      string            `json:"id"`
	Paper   string            `json:"paper"`
	Title   string            `json:"title"`
	Status  paper.Status      `json:"status"`
	Shipped paper.Extents     `json:"shipped"`
	Runs    int               `json:"runs"` // with three seeds
	Cost    map[string]string `json:"cost"` // of those runs by scale; see paper.Cost
}

func listCommand() *cobra.Command {
	var asJSON bool
	var home string
	c := &cobra.Command{
		Use:   "list",
		Short: "List every table and figure of the papers, with cost and what is shipped, and how far the store's sweeps are",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			shipped, err := paper.Shipped(catalogue.List())
			if err != nil {
				return err
			}
			var all []listed
			for _, a := range catalogue.List() {
				one := listed{ID: a.ID, Paper: a.Paper(), Title: a.Title, Status: a.Status(), Runs: 3 * a.RunsASeed(),
					Shipped: shipped[a.ID], Cost: map[string]string{}}
				for _, name := range scale.ScaleNames() {
					one.Cost[name] = "–"
					if one.Runs > 0 {
						one.Cost[name] = paper.Cost(name, one.Runs)
					}
				}
				all = append(all, one)
			}
			if asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(all)
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tRUNS\tTINY\tMINI\tSMALL\tPAPER\tSHIPPED\tTITLE")
			for _, a := range all {
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", a.ID, a.Runs, a.Cost["tiny"], a.Cost["mini"], a.Cost["small"],
					a.Cost["paper"], a.Shipped, a.Title)
			}
			fmt.Fprintln(w, "\nCost of three seeds: tiny and mini with ONNX Runtime on two cores, small and paper on one large GPU "+
				"(estimates). Shipped: the project's own runs at mini, which vlpx show ID prints, and examples in docs/GALLERY.md.")
			if err := w.Flush(); err != nil {
				return err
			}
			store, err := lab.OpenStore(home)
			if err != nil {
				return err
			}
			sweeps, err := store.Sweeps()
			if err != nil || len(sweeps) == 0 {
				return err
			}
			fmt.Fprintln(c.OutOrStdout())
			return sweeps.Table().Text(c.OutOrStdout(), terminal())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, of the artifacts")
	bindHome(c, &home)
	return c
}
