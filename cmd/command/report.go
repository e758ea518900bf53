package command

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/lab"
)

func reportCommand() *cobra.Command {
	var o options
	var file string
	c := &cobra.Command{
		Use:   "report [ID|PAPER...]",
		Short: "Write one HTML page of all artifacts, or of those named, from what the store has, running nothing",
		Long: "Write one HTML page of all artifacts, or of those named, from what the store has, beside the papers' numbers and the " +
			"shipped\n" +
			"reference results. It runs nothing. The page needs no network and no scripts; a paper's name stands for all of its " +
			"artifacts.\n" +
			"An artifact that cannot be read, as with a damaged result, has its error on the page, and the exit status is 1.",
		Example: "  vlpx report\n  vlpx report falcon mafa/table1 -scale tiny -o falcon.html",
		RunE: func(c *cobra.Command, names []string) error {
			if err := o.complete(c.Context()); err != nil {
				return err
			}
			o.Own = nil // the page is of artifacts as the papers have them
			page, err := lab.NewPage(c.Context(), names, o.Options, func(line string) { fmt.Fprintln(c.ErrOrStderr(), line) })
			if err != nil {
				return err
			}
			if file == "" {
				file = page.FileName()
			}
			var content bytes.Buffer
			if err := page.HTML(&content); err != nil {
				return err
			}
			if err := disk.WriteFile(file, content.Bytes(), 0o644); err != nil {
				return fmt.Errorf("writing %s: %w; choose another place with -o", file, err)
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s (%.1f MB)\n", file, float64(content.Len())/1e6)
			if err := page.Faults(); err != nil {
				return fmt.Errorf("the page tells of artifacts that could not be read: %w", err)
			}
			return nil
		},
	}
	o.bind(c)
	c.Flags().StringVarP(&file, "out", "o", "", "the page's `file` (default report.html, with what differs from the defaults in its name)")
	return c
}
