package paper

import (
	"cmp"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
)

// setting is a line of a table of hyper-parameters: the paper's value, and that of a preset, nil where vlpx has none.
type setting struct {
	name, paper string
	of          func(Scale) any
}

// presetsTable prints the presets beside a paper's hyper-parameters.
func presetsTable(r *Report, settings []setting) plots.Table {
	p := r.plan
	t := plots.Table{
		Title:   p.Artifact.ID + ": " + p.Artifact.Title,
		Note:    "The presets are the code's own.",
		Heading: "hyper-parameter",
		Columns: []plots.Column{{Name: "the paper's"}},
	}
	all := scales()
	for _, s := range all {
		name := s.Name
		if s.Name == p.Scale.Name {
			s, name = p.Scale, name+" (as set)"
		}
		t.Columns = append(t.Columns, plots.Column{Name: "at " + name})
	}
	for _, x := range settings {
		row := plots.TableRow{Name: x.name, Cells: []plots.Cell{{{Text: x.paper}}}}
		for _, s := range all {
			if s.Name == p.Scale.Name {
				s = p.Scale
			}
			if x.of != nil {
				row.Cells = append(row.Cells, plots.Cell{{Text: fmt.Sprint(x.of(s))}})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// hyperTable prints the presets beside FALCON's Table 5. What ALBEF's backbone is, FALCON does not print.
func hyperTable(r *Report) (plots.Table, error) {
	return presetsTable(r, []setting{
		{"image resolution", "256", func(s Scale) any { return s.Image }},
		{"embedding dimension", "256", func(s Scale) any { return s.Embed }},
		{"batch size", "96", func(s Scale) any { return s.BatchSize }},
		{"masking probability", "0.5", func(Scale) any { return negative.GRITVLP(0, 0).Masking }},
		{"search space size", "2400, 5664, 28320", func(s Scale) any { return s.SearchSpace }},
		{"pre-training epochs", "20", func(s Scale) any { return s.Epochs }},
		{"optimiser", "AdamW", adamW},
		{"learning rate", "scheduled", func(s Scale) any { return fmt.Sprintf("%g to %g", s.Schedule.Rate, s.Schedule.Min) }},
		{"layers: vision, text, fusion", "ALBEF's: 12, 6, 6", func(s Scale) any {
			return fmt.Sprintf("%d, %d, %d", s.VisionLayers, s.TextLayers, s.Fusion)
		}},
		{"width", "ALBEF's: 768", func(s Scale) any { return s.Width }},
		{"first weights: vision", "ALBEF's: DeiT-B", func(s Scale) any { return cmp.Or(starts[s.Name].vision, "drawn") }},
		{"first weights: text", "ALBEF's: BERT-base", func(s Scale) any { return cmp.Or(starts[s.Name].text, "drawn") }},
		{"scheduler: quantiles M", "100", func(s Scale) any { return s.Scheduler.Quantiles }},
		{"scheduler: hidden width", "256", func(s Scale) any { return s.Scheduler.Hidden }},
		{"scheduler: residual blocks", "2", func(s Scale) any { return s.Scheduler.Blocks }},
		{"scheduler: learning rate", "1e-4", func(s Scale) any { return s.Scheduler.Rate }},
		{"scheduler: optimiser", "AdamW", func(Scale) any { return "AdamW(0.9, 0.999, wd 0.01)" }},
	}), nil
}

func adamW(s Scale) any {
	return fmt.Sprintf("AdamW(%g, %g, wd %g)", s.Optimiser.Beta1, s.Optimiser.Beta2, s.Optimiser.WeightDecay)
}

// tuningTable prints the presets of fine-tuning beside SRCL's Table 5 and appendix E, whose learning rates are of the ViT and of the
// BERT. Ours have one rate.
func tuningTable(r *Report) (plots.Table, error) {
	return presetsTable(r, []setting{
		{"retrieval: learning rate (ViT/BERT)", "1e-5/2e-6", func(s Scale) any { return fmt.Sprintf("%g to %g", s.Tuning.Rate, s.Tuning.Min) }},
		{"retrieval: batch size", "256", func(s Scale) any {
			if s.Tuning.BatchSize != 0 {
				return s.Tuning.BatchSize
			}
			return s.BatchSize
		}},
		{"retrieval: epochs", "5", func(s Scale) any { return s.Tuning.Epochs }},
		{"VQA: learning rate (ViT/BERT)", "2e-5/5e-6", nil},
		{"VQA: batch size", "1024", nil},
		{"VQA: epochs", "8", nil},
		{"NLVR2: learning rate (ViT/BERT)", "5e-5/5e-6", nil},
		{"NLVR2: batch size", "256", nil},
		{"NLVR2: epochs", "15", nil},
		{"optimiser", "AdamW, wd 0.05", adamW},
		{"learning rate schedule", "cosine", func(Scale) any { return "cosine" }},
	}), nil
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
