package command

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/paper"
)

// referenceCommand is for the project's own use: it makes the reference results that are shipped.
func referenceCommand() *cobra.Command {
	var o options
	var file string
	c := &cobra.Command{
		Use:    "reference ID...",
		Short:  "Put what the store has of artifacts among the shipped reference results",
		Hidden: true,
		Args:   needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.completeFor(ids); err != nil {
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
				all = paper.Merge(all, reference)
			}
			text, err := json.MarshalIndent(all, "", " ")
			if err != nil {
				return err
			}
			if err := renameio.WriteFile(file, append(text, '\n'), 0o644); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", file)
			return nil
		},
	}
	o.bind(c)
	o.bindMethods(c)
	c.Flags().StringVar(&file, "file", "vlpx/paper/reference.json", "where the shipped results lie")
	return c
}
