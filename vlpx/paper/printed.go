package paper

import (
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
)

// hyperTable prints the presets beside the paper's hyper-parameters (FALCON, Table 5).
func hyperTable(r *Report) (plots.Table, error) {
	p := r.plan
	t := plots.Table{
		Title:   p.Artifact.ID + ": " + p.Artifact.Title,
		Note:    "The presets are the code's own.",
		Heading: "hyper-parameter",
		Columns: []plots.Column{{Name: fromPaper}},
	}
	all := scales()
	for _, s := range all {
		name := s.Name
		if s.Name == p.Scale.Name {
			s, name = p.Scale, name+" (as set)"
		}
		t.Columns = append(t.Columns, plots.Column{Name: name})
	}
	add := func(name, paper string, of func(Scale) any) {
		row := plots.TableRow{Name: name, Cells: []plots.Cell{{{Text: paper}}}}
		for _, s := range all {
			if s.Name == p.Scale.Name {
				s = p.Scale
			}
			row.Cells = append(row.Cells, plots.Cell{{Text: fmt.Sprint(of(s))}})
		}
		t.Rows = append(t.Rows, row)
	}
	add("image resolution", "256", func(s Scale) any { return s.Image })
	add("embedding dimension", "256", func(s Scale) any { return s.Embed })
	add("batch size", "96", func(s Scale) any { return s.BatchSize })
	add("masking probability", "0.5", func(s Scale) any { return grit(s).Masking })
	add("search space size", "2400, 5664, 28320", func(s Scale) any { return s.SearchSpace })
	add("pre-training epochs", "20", func(s Scale) any { return s.Epochs })
	add("optimiser", "AdamW", func(s Scale) any {
		return fmt.Sprintf("AdamW(%g, %g, wd %g)", s.Optimiser.Beta1, s.Optimiser.Beta2, s.Optimiser.WeightDecay)
	})
	add("learning rate", "scheduled", func(s Scale) any { return fmt.Sprintf("%g to %g", s.Schedule.Rate, s.Schedule.Min) })
	add("layers: vision, text, fusion", "12, 6, 6", func(s Scale) any {
		return fmt.Sprintf("%d, %d, %d", s.VisionLayers, s.TextLayers, s.Fusion)
	})
	add("width", "768", func(s Scale) any { return s.Width })
	add("scheduler: quantiles M", "100", func(s Scale) any { return s.Scheduler.Quantiles })
	add("scheduler: hidden width", "256", func(s Scale) any { return s.Scheduler.Hidden })
	add("scheduler: residual blocks", "2", func(s Scale) any { return s.Scheduler.Blocks })
	add("scheduler: learning rate", "1e-4", func(s Scale) any { return s.Scheduler.Rate })
	add("scheduler: optimiser", "AdamW", func(Scale) any { return "AdamW(0.9, 0.999, wd 0.01)" })
	return t, nil
}

// sizesTable counts the images and captions of the data on disk beside the paper's sets (FALCON, Table 6).
func sizesTable(r *Report) (plots.Table, error) {
	p := r.plan
	collection, err := p.Data.Open()
	if err != nil {
		return plots.Table{}, err
	}
	t := plots.Table{
		Title:   p.Artifact.ID + ": " + p.Artifact.Title,
		Heading: "data",
		Columns: []plots.Column{{Name: "images"}, {Name: "captions"}, {Name: "counted by"}},
	}
	add := func(name, images, captions, by string) {
		t.Rows = append(t.Rows, plots.TableRow{Name: name, Cells: []plots.Cell{{{Text: images}}, {{Text: captions}}, {{Text: by}}}})
	}
	add("COCO", "113K", "567K", fromPaper)
	add("CC, filtered web captions", "567K", "567K", fromPaper)
	add("CC, synthetic captions by BLIP", "567K", "567K", fromPaper)
	for _, split := range collection.Splits() {
		set, err := collection.Split(split)
		if err != nil {
			return plots.Table{}, err
		}
		add(set.Name(), fmt.Sprint(set.Len()), fmt.Sprint(len(datasets.Pairs(set))), "vlpx")
	}
	return t, nil
}
