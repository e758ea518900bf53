package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx"
	"vlpx.internal/vlpx/engine"
)

func reproduceCommand() *cobra.Command {
	var o options
	var out string
	c := &cobra.Command{
		Use:   "reproduce ID...",
		Short: "Run what is missing of an artifact and print it beside the paper's numbers",
		Example: "  vlpx reproduce falcon/table1 -scale tiny\n" +
			"  vlpx reproduce falcon/table1 -data flickr8k -methods ALBEF,GRIT-VLP -seeds 1,2,3,4,5",
		Args: needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			grids := make([]*vlpx.Grid, len(ids))
			for i, id := range ids { // what is wrong shows before hours of training
				var err error
				if grids[i], err = vlpx.Open(id, o.Options); err != nil {
					return err
				}
				if err := os.MkdirAll(filepath.Dir(output(out, id)), 0o755); err != nil {
					return fmt.Errorf("%w; choose another folder with -out", err)
				}
			}
			for i, id := range ids {
				if err := reproduce(c, id, grids[i], output(out, id)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.bind(c)
	o.bindMethods(c)
	c.Flags().StringVar(&out, "out", "results", "folder for the artifact's .md, .csv, .json and .png")
	return c
}

func showCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "show ID...",
		Short: "Print an artifact from the store and the shipped reference results, running nothing",
		Args:  needsIDs,
		RunE: func(c *cobra.Command, ids []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			for _, id := range ids {
				grid, err := vlpx.Open(id, o.Options)
				if err != nil {
					return err
				}
				report, err := grid.Report()
				if err != nil {
					return err
				}
				if err := report.Text(c.OutOrStdout(), terminal()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.bind(c)
	o.bindMethods(c)
	return c
}

func needsIDs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s needs an artifact, such as falcon/table1; vlpx list names them", c.Name())
	}
	return nil
}

// output is where an artifact's files go, without their endings.
func output(dir, id string) string { return filepath.Join(dir, filepath.FromSlash(id)) }

// reproduce makes one artifact; base is where its files go.
func reproduce(c *cobra.Command, id string, grid *vlpx.Grid, base string) error {
	missing, err := grid.Missing()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		choice, _ := engine.Choose(engine.Cache())
		fmt.Fprintf(c.ErrOrStderr(), "%s at %s on %s: %d of %d runs to make on %s (%s)\n", id, grid.Plan.Scale.Name, grid.Plan.Data.Name,
			len(missing), len(grid.Plan.Runs()), choice.Name, choice.Reason)
		if choice.Slower != "" {
			fmt.Fprintln(c.ErrOrStderr(), choice.Slower)
		}
		fmt.Fprintf(c.ErrOrStderr(), "about %s in all; Ctrl-C keeps what is done, and the same command goes on from there\n",
			round(grid.Estimate(len(missing), choice.Name)))
	}
	bars := newBars(c.ErrOrStderr())
	err = grid.Make(c.Context(), bars.listen)
	bars.finish()
	if errors.Is(err, context.Canceled) {
		return stopped(grid)
	}
	if err != nil {
		return err
	}
	report, err := grid.Report()
	if err != nil {
		return err
	}
	if err := report.Text(c.OutOrStdout(), terminal()); err != nil {
		return err
	}
	return write(c.OutOrStdout(), report, base)
}

// interrupted is what a cancelled command tells, with an exit status of its own.
type interrupted string

func (i interrupted) Error() string { return string(i) }

// stopped tells what a cancelled grid keeps.
func stopped(grid *vlpx.Grid) error {
	missing, err := grid.Missing()
	if err != nil {
		return err
	}
	total, kept := len(grid.Plan.Runs()), "nothing of the next"
	if len(missing) > 0 && grid.Store.Started(missing[0]) {
		r := missing[0].Train
		kept = fmt.Sprintf("a checkpoint of %s, seed %d", r.Method.Name, r.Seed)
	}
	return interrupted(fmt.Sprintf("stopped: %d of %d runs are kept, and %s; the same command goes on from there",
		total-len(missing), total, kept))
}

// write puts the artifact's files beside each other, each as a whole or not at all.
func write(w io.Writer, r *vlpx.Report, base string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	files := []struct {
		ending string
		render func(io.Writer) error
	}{
		{".md", r.Markdown}, {".csv", r.CSV},
		{".json", func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err }},
	}
	if r.HasFigure() {
		files = append(files, struct {
			ending string
			render func(io.Writer) error
		}{".png", r.PNG})
	}
	for _, file := range files {
		var content bytes.Buffer
		if err := file.render(&content); err != nil {
			return fmt.Errorf("%s%s: %w", base, file.ending, err)
		}
		if err := renameio.WriteFile(base+file.ending, content.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing %s%s: %w; choose another folder with -out", base, file.ending, err)
		}
		fmt.Fprintf(w, "wrote %s%s\n", base, file.ending)
	}
	return nil
}

// terminal tells how wide and how rich the output may be.
func terminal() plots.Terminal {
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return plots.Terminal{Width: width, Style: true}
	}
	return plots.Terminal{Width: 120}
}

func round(d time.Duration) time.Duration {
	if d > 10*time.Minute {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}
