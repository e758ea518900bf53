package uniter

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// Of the published UNITER-base the table names every variable and every tensor, of as many numbers, but for the heads for masked regions.
func TestPublishedManifest(t *testing.T) {
	content := must.Get(os.ReadFile(filepath.Join("..", "..", "weights", "testdata", "manifests", "uniter_base.json")))(t)
	var listed struct{ Tensors map[string][]any }
	must.Do(t, json.Unmarshal(content, &listed))
	base := Paper().Before().(Model)
	store := model.NewStore()
	must.Do(t, framework.Declare(base, framework.Use{Tokens: 60}, enginetest.PureGo(t), store))
	table, rules := weights.UNITER(framework.Model), map[string]weights.Rule{}
	for _, rule := range table.Rules {
		rules[rule.Variable] = rule
	}
	layer, numbers := regexp.MustCompile(`_(\d+)/`), 0
	for v := range store.Scope(framework.Model).IterVariables() {
		pattern, number := v.Path(), ""
		if at := layer.FindStringSubmatchIndex(pattern); at != nil {
			pattern, number = pattern[:at[2]]+"#"+pattern[at[3]:], pattern[at[2]:at[3]]
		}
		size := 0
		for _, name := range rules[pattern].Tensors {
			name = strings.ReplaceAll(name, "#", number)
			part := 1
			for _, d := range listed.Tensors[name][1:] {
				part *= int(d.(float64))
			}
			size += part
			delete(listed.Tensors, name)
		}
		if size != v.Shape().Size() {
			t.Errorf("variable %s has %d numbers, the tensors of its rule %d", v.Path(), v.Shape().Size(), size)
		}
		numbers += size
	}
	var ignored []string
	for _, rule := range table.Copies {
		ignored = append(ignored, rule.Tensors...)
	}
	for name := range listed.Tensors {
		expected := slices.Contains(ignored, name) || slices.ContainsFunc(table.Ignored, func(pattern string) bool {
			prefix, all := strings.CutSuffix(pattern, "*")
			return name == pattern || all && strings.HasPrefix(name, prefix)
		})
		if !expected {
			t.Errorf("tensor %s: no variable takes it", name)
		}
	}
	// BERT-base on 28,996 words, its pooler and its head for them, and what UNITER adds: 2,048 features and seven numbers to 768, three
	// norms, two classes.
	const d, f = 768, 3072
	linear := func(in, out int) int { return in*out + out }
	bert := (28996+512+2)*d + 2*d + 12*(4*linear(d, d)+linear(d, f)+linear(f, d)+4*d) + linear(d, d)
	if want := bert + linear(d, d) + 2*d + 28996 + linear(2048, d) + linear(7, d) + 6*d + linear(d, 2); numbers != want {
		t.Errorf("got %d parameters, want %d", numbers, want)
	}
}

// A tiny checkpoint of the published code gives its matching logits: both in pre-training, and "matched" as the first score of a
// fine-tuning.
func TestPublishedScores(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "internal", "test", "golden", "testdata", "models", "uniter_forward")
	c := must.Get(golden.Read(filepath.Join(dir, "case.json")))(t)
	features, geometry, boxes := c.Tensor("inputs", "img_feat"), c.Tensor("inputs", "img_pos_feat"), c.Ints("params", "num_bbs")
	m := Model{
		Text: encoder.BERT{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "max_position"), Width: c.Int("params", "width"),
			Heads: c.Int("params", "heads"), MLP: c.Int("params", "intermediate"), Layers: c.Int("params", "layers")},
		Regions: encoder.Regions{Count: features.Shape[1], Features: c.Int("params", "img_dim")}, Margin: 0.2,
	}
	var ids []int32
	for _, id := range c.Ints("inputs", "input_ids") {
		ids = append(ids, int32(id))
	}
	var images []float32
	for row := range boxes {
		for k := range m.Regions.Count {
			at := row*m.Regions.Count + k
			for _, x := range features.Float[at*m.Regions.Features : (at+1)*m.Regions.Features] {
				images = append(images, float32(x))
			}
			for _, x := range geometry.Float[at*encoder.Geometry : (at+1)*encoder.Geometry] {
				images = append(images, float32(x))
			}
			images = append(images, map[bool]float32{true: 1}[k < boxes[row]])
		}
	}
	want := c.Tensor("expected", "itm_logits").Float
	must.Do(t, c.Err())
	source := must.Get(weights.Find(filepath.Join(dir, "weights.safetensors")))(t)
	on, u := enginetest.PureGo(t), framework.Use{Method: negative.Plain(), Batch: len(boxes), Tokens: len(ids) / len(boxes)}
	scores := func(f framework.Framework, values weights.Values, of *model.Store) []float32 {
		t.Helper()
		must.Do(t, values.Put(of, dtypes.Float32))
		n := must.Get(framework.NewInference(f, u, on, of))(t)
		defer n.Close()
		got := must.Get(n.Score(slices.Clone(ids), slices.Clone(images)))(t)
		return got
	}
	store := model.NewStore()
	must.Do(t, framework.Declare(m.Before(), u, on, store))
	values, report, err := source.Model(store, framework.Model)
	if err != nil || len(report.Left)+len(report.Drawn) > 0 {
		t.Fatalf("%v, with the report %v", err, report.Lines())
	}
	first := scores(m.Before(), values, store)
	made := must.Get(m.Follow(values))(t)
	for path, value := range made {
		values[path] = value
	}
	for row, score := range scores(m, values, model.NewStore()) {
		matched, not := want[2*row+1], want[2*row]
		if math.Abs(float64(score)-matched) > 1e-5 || math.Abs(float64(first[row])-(matched-not)) > 1e-5 {
			t.Errorf("row %d: got the score %g, and %g in pre-training; want %g and %g", row, score, first[row], matched, matched-not)
		}
	}
}
