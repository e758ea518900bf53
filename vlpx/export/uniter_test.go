package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// smallUNITER is small with UNITER, which sees the scenes' boxes and writes negatives.
func smallUNITER(t testing.TB, pretraining bool) (run.Run, *text.Tokenizer) {
	t.Helper()
	r, tokenizer := small(t)
	r.Regions = regions.Source{Count: 4, Width: 8, Boxes: &regions.Boxes{}}
	r.Train.Framework.Framework = uniter.Model{
		Text:    encoder.BERT{Vocab: tokenizer.Size(), Positions: 11, Width: 12, Heads: 3, MLP: 18, Layers: 2},
		Regions: encoder.Regions{Count: 4, Features: 8}, Pretraining: pretraining, Margin: 0.2,
	}
	if !pretraining {
		r.Train.Method = negative.Method{Name: "TAGS-DC", Matching: negative.Retrieved{Pool: 6, Keep: 3},
			Writing: negative.TAGS{Masks: 2, Refills: 2, Keep: 2, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 0.1, WoD: 0.1,
				WoC: 0.1}}.WithDefaults()
		r.Tasks = append(r.Tasks, eval.Writing{Captions: 4, Masks: 2, Refills: 2, Temperatures: []float64{1.5}, Rate: 0.15})
	}
	return r, tokenizer
}

// A UNITER of either stage that is imported gives the numbers of the run, and its names are the published ones but for the heads on words.
func TestSameEvaluationOfUNITER(t *testing.T) {
	for _, pretraining := range []bool{false, true} {
		t.Run(fmt.Sprint("pretraining ", pretraining), func(t *testing.T) {
			r, _ := smallUNITER(t, pretraining)
			kept, m := made(t, r)
			dir := exported(t, kept, m)
			folder := must.Get(Read(dir))(t)
			again := must.Get(folder.Model(enginetest.PureGo(t)))(t)
			defer again.Close()
			e := run.Executor{Backend: enginetest.PureGo(t)}
			got, err := e.Measure(t.Context(), folder.Run, again, "test")
			if err != nil || len(got) < 20 {
				t.Fatalf("got %v, %v", got, err)
			}
			for name, value := range got {
				if value != kept.Result.Metrics[name] {
					t.Errorf("%s: got %v, the run's result has %v", name, value, kept.Result.Metrics[name])
				}
			}
			f := must.Get(weights.Open(filepath.Join(dir, WeightsName)))(t)
			defer f.Close()
			for name, has := range map[string]bool{
				"uniter.img_embeddings.pos_linear.weight": true, "uniter.encoder.layer.1.attention.self.key.bias": true,
				"uniter.pooler.dense.weight":     true,
				"cls.predictions.decoder.weight": true, "itm_output.weight": pretraining, "rank_output.weight": !pretraining,
			} {
				if slices.Contains(f.Names(), name) != has {
					t.Errorf("tensor %s is there: %t, want %t", name, !has, has)
				}
			}
			if own := strings.Join(folder.VLPX.Own, " "); (own == "") != pretraining ||
				strings.Count(own, "vlpx.") != strings.Count(own, "vlpx.wod.")+strings.Count(own, "vlpx.text.corrected.") {
				t.Errorf("got the names %q of our own", own)
			}
			card := contents(t, dir)[CardName]
			for _, never := range []string{"<no value>", "%!", "ALBEF", "re-ranked", "fusion", "cosine", "pixels", "image_mean"} {
				if strings.Contains(card, never) {
					t.Errorf("%q in\n%s", never, card)
				}
			}
			for want, when := range map[string]bool{
				"of UNITER's architecture": true, "\n- uniter\n": true, "ranked by the model's scores of all pairs": true,
				"UniterForImageTextRetrieval.from_pretrained(": true,
				"UniterForPretraining":                         pretraining, "at most 4 regions of 8 features": true,
			} {
				if strings.Contains(card, want) != when {
					t.Errorf("%q in the card: %v, want %v, in\n%s", want, !when, when, card)
				}
			}
			var config map[string]any
			must.Do(t, json.Unmarshal([]byte(contents(t, dir)[ConfigName]), &config))
			for _, key := range []string{"image_mean", "image_std", "image_resize"} {
				if _, has := config[key]; has {
					t.Errorf("config.json has %s of a model that reads regions", key)
				}
			}
			for key, want := range map[string]any{"hidden_size": 12., "num_hidden_layers": 2., "img_dim": 8., "max_bb": 4.,
				"type_vocab_size": 2., "model_type": "uniter"} {
				if config[key] != want {
					t.Errorf("config.json: %s is %v, want %v; it has %v", key, config[key], want, slices.Sorted(maps.Keys(config)))
				}
			}
		})
	}
}

// Where regions are a locked encoder's grid, the card tells of both.
func TestUNITEROfAGrid(t *testing.T) {
	vit := must.Get(weights.Find(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
		"weights.safetensors")))(t)
	r, _ := smallUNITER(t, true)
	r.Locked = &locked.Encoder{Weights: vit, Image: 24, Side: 3, Pixels: transform.ImageNet, Heads: 2}
	r.Regions = regions.Source{Count: 10, Width: 16, Grid: true}
	m := r.Train.Framework.Framework.(uniter.Model)
	r.Train.Framework.Framework, r.Train.Transform.Size = m.WithRegions(10, 16), 24
	kept, trained := made(t, r)
	dir := exported(t, kept, trained)
	if folder, err := Read(dir); err != nil || folder.VLPX.Locked == nil || folder.VLPX.Own != nil {
		t.Errorf("got %+v (%v)", folder, err)
	}
	if card := contents(t, dir)[CardName]; !strings.Contains(card, "3 x 3 means of patches are the regions.") ||
		strings.Contains(card, "adapter") {
		t.Errorf("got the card\n%s", card)
	}
}
