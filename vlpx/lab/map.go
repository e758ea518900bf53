package lab

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/audit"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/papers/ours"
)

// Mapping says what [Map] estimates by; the zero value is the usual.
type Mapping struct {
	Split   string // whose pairs; "train" if empty
	Batch   int    // pairs of a mini-batch; 32, as at mini, if 0
	Anchors int    // negatives of each kind that are drawn; 500 if 0
}

const (
	usualMapBatch   = 32
	usualMapAnchors = 500
)

// Mapped are the false negatives of data, estimated, and where on vlpx/map the data lie.
type Mapped struct {
	*audit.Sample
	// Nearest are the places of vlpx/map that are nearest by the share in a mini-batch, with what their false negatives cost.
	Nearest tables.Table
	// Figure is that of vlpx/map with the data's place; nil where neither the store nor vlpx has results of it.
	Figure plots.Drawing
}

// Map estimates which share of data's negatives is false, in uniform mini-batches and among the hardest, by a trained model as [Audit]
// does, and places the data on vlpx/map by the surest estimate.
func Map(ctx context.Context, model string, m Mapping, o Options, say func(string)) (*Mapped, error) {
	if m.Split == "" {
		m.Split = "train"
	}
	if m.Batch == 0 {
		m.Batch = usualMapBatch
	}
	if m.Anchors == 0 {
		m.Anchors = usualMapAnchors
	}
	store, err := OpenStore(o.Home)
	if err != nil {
		return nil, err
	}
	var r Mapped
	err = withTrained(ctx, model, o, say, func(ctx context.Context, t *trained) error {
		return t.looking(ctx, store, m.Split, o, func(l looked) (err error) {
			how := audit.Sampling{Batch: m.Batch, Anchors: m.Anchors, Matches: t.matches(), ConD: l.conD}
			if r.Sample, err = audit.Draw(ctx, l.subject, how); err != nil {
				return err
			}
			r.Model, r.Split, r.ConD = t.name, m.Split, l.conDName
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	grid, err := Open("vlpx/map", Options{Home: o.Home})
	if err != nil {
		return nil, err
	}
	report, err := grid.Report()
	if err != nil {
		return nil, err
	}
	of, _ := r.Estimate(audit.InBatch, r.Best())
	if r.Nearest, err = ours.Nearest(report.Report, of.Share); err != nil {
		return nil, err
	}
	r.Nearest.Note = fmt.Sprintf("By %s your data have %.2f %% in a mini-batch, from %.2f to %.2f. The map is of models at mini on generated scenes, "+
		"in mini-batches of 32 pairs, trained with false negatives and without exactly them: mean ± standard deviation over worlds. It says when "+
		"to look closer, not what you will gain.", r.Best(), of.Share, of.Low, of.High)
	r.Figure, err = ours.Placed(report.Report, of.Share)
	return &r, err
}

// Tables are the estimates, and the nearest places of the map.
func (m *Mapped) Tables() []tables.Table {
	all := []tables.Table{m.Table()}
	if len(m.Nearest.Rows) > 0 {
		all = append(all, m.Nearest)
	}
	return all
}

// Write writes the negatives to a new table .csv, which a person may fill in and put beside the data as judgements.csv, or the figure to a
// .png, .pdf or .svg; whole or not at all.
func (m *Mapped) Write(path string) error {
	if err := AuditWritable(path); err != nil {
		return err
	}
	var text bytes.Buffer
	if strings.ToLower(filepath.Ext(path)) == ".csv" {
		if err := m.WriteCSV(&text); err != nil {
			return err
		}
	} else if m.Figure == nil {
		return fmt.Errorf("%s: there are no results of vlpx/map to draw", path)
	} else if err := draw(&text, m.Figure, filepath.Ext(path)); err != nil {
		return err
	}
	return disk.WriteFile(path, text.Bytes(), 0o644)
}

// draw draws a figure to a .png, .pdf or .svg.
func draw(w io.Writer, d plots.Drawing, ending string) error {
	switch strings.ToLower(ending) {
	case ".png":
		return d.PNG(w, 150)
	case ".pdf":
		return d.PDF(w)
	}
	return d.SVG(w)
}
