package export

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

//go:embed card.md
var cardText string

var cardTemplate = template.Must(template.New(CardName).Parse(cardText))

// cardMetric is a line of the card's results, without re-ranking by the cosine.
type cardMetric struct{ Name, What, Value, Cosine string }

// card writes the model card, of a folder for transformers where hub is not nil.
func card(c Config, k run.Kept, of framework.Export, encoders []ONNX, hub *framework.Hub) ([]byte, error) {
	r := k.Run
	f := r.Train.Framework.Framework
	_, matches := f.(framework.Matches)
	half, knows := f.(framework.InHalf)
	told := struct {
		Config
		framework.Export
		Framework, Tag string
		Method         string
		Seed           uint64
		Data           run.Data
		DataSettings   []string
		Train          train.Config
		Rerank         int // candidates; 0 where nothing is re-ranked
		Retrieval      bool
		Scores         bool            // of pairs, by which candidates are ranked
		Regions        *regions.Source // nil where the model reads no regions
		Result         run.Result
		Parameters     int
		Side           int // of an image, in pixels
		Half           bool
		Starts         string
		Borrowed       bool
		Versions       []string
		Metrics        []cardMetric
		Encoders       []ONNX
		Hub            *framework.Hub
		Part           string // what of the model is there; empty for all
	}{
		Config: c, Export: of, Framework: f.Name(), Tag: strings.ToLower(f.Name()), Method: c.VLPX.Method, Seed: c.VLPX.Seed,
		Data: r.Data, DataSettings: dataSettings(r.Data), Train: r.Train, Rerank: r.Tasks.Reranked(), Result: k.Result,
		Parameters: k.Result.Parameters,
		Side:       r.Train.Transform.Size, Half: knows && half.InHalf(), Starts: starts(r), Borrowed: r.Weights != run.Weights{} ||
			r.Locked != nil,
		Metrics: cardMetrics(k.Result.Metrics), Encoders: encoders, Hub: hub,
	}
	if hub != nil {
		told.Part = hub.Part
	}
	_, told.Scores = f.(framework.Scores)
	if regional(r) {
		told.Regions = &r.Regions
	}
	if told.Retrieval = told.Rerank > 0; !matches {
		told.Rerank = 0
	}
	for _, name := range slices.Sorted(maps.Keys(k.Result.Versions)) {
		told.Versions = append(told.Versions, name+" "+k.Result.Versions[name])
	}
	var text bytes.Buffer
	err := cardTemplate.Execute(&text, told)
	return text.Bytes(), err
}

// dataSettings tells which part of the data, and how spoilt, a run learned from.
func dataSettings(d run.Data) (all []string) {
	if s := d.Scenes; s != nil {
		return []string{fmt.Sprintf("%d scenes for training, %d for validation, %d for test, density %q", s.Train, s.Val,
			s.Test, s.Density)}
	}
	for _, setting := range []struct {
		form  string
		value any
		given bool
	}{
		{"the first %d images of each split", d.Images, d.Images > 0},
		{"the first %d captions of each training image", d.Captions, d.Captions > 0},
		{"a share of %g of the training images", d.Portion, d.Portion > 0},
		{"a share of %g of the training captions replaced by other images'", d.CaptionNoise, d.CaptionNoise > 0},
	} {
		if setting.given {
			all = append(all, fmt.Sprintf(setting.form, setting.value))
		}
	}
	return all
}

// starts tells from what a run starts; nothing where its first values are drawn.
func starts(r run.Run) string {
	var all []string
	if r.Train.Init != "" {
		all = append(all, fmt.Sprintf("the model of run `%s`", r.Train.Init))
	}
	for _, source := range []struct {
		what string
		*weights.Source
	}{{"images", r.Weights.Vision}, {"text", r.Weights.Text}, {"the whole model", r.Weights.Model}, {"words", r.Weights.Words}} {
		if source.Source != nil {
			all = append(all, fmt.Sprintf("%s for %s (content hash `%s`)", cmp.Or(source.Name, "published weights"), source.what,
				source.Hash))
		}
	}
	return strings.Join(all, ", ")
}

// cardMetrics are the metrics that a result has, in the order of package eval.
func cardMetrics(measured map[string]float64) (all []cardMetric) {
	number := func(name string) string {
		if v, ok := measured[name]; ok {
			return fmt.Sprintf("%.2f", v)
		}
		return ""
	}
	for _, info := range eval.Metrics() {
		name := string(info.Metric)
		m := cardMetric{name, info.What, number(name), number(eval.CosinePrefix + name)}
		if m.Value+m.Cosine != "" {
			all = append(all, m)
		}
	}
	return all
}
