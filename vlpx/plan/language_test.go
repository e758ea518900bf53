package plan_test

import (
	"path/filepath"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/train"
)

// A published language model takes the place of the trained one: its sizes, its weights, its vocabulary, and a rate of 0; the row that asks
// it stays as it is.
func TestPublishedLanguageModel(t *testing.T) {
	folder := must.Get(filepath.Abs(filepath.Join("..", "framework", "gpt", "testdata", "tiny")))(t)
	model := plan.MethodRow("InfoNCE").As("GPT-2").On("GPT-2")
	row := plan.MethodRow("UNITER").On("UNITER")
	row.Measure = &plan.Measure{Model: &model, Task: func(of string) eval.Task { return eval.Fluency{Of: of, Version: eval.Original} }}
	asking := plan.Experiment{ID: "test/language", Rows: []plan.Row{row}}
	of := func(weights ...string) (*plan.Plan, error) {
		return plan.New(asking, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Weights: weights})
	}
	trained := must.Get(of())(t)
	published := must.Get(of("language=" + folder))(t)
	if one, other := trained.Rows[0][0].ID(), published.Rows[0][0].ID(); one != other {
		t.Errorf("the row's run is another one: %s and %s", one, other)
	}
	asked := published.Jobs[0][0][1].Run
	text := asked.Train.Framework.Framework.(gpt.Model).Text
	if text.Width != 8 || text.Vocab != 285 || text.Positions != 16 || text.Dropout != 0 {
		t.Errorf("got a model of %+v, want the folder's", text)
	}
	if asked.Weights.Text == nil || asked.Vocabulary.Hash == "" || asked.Train.Schedule.Rate != 0 || asked.Train.Schedule.Warmup != 0 ||
		asked.Train.Epochs != 1 {
		t.Errorf("got weights %+v, vocabulary %+v, %d epochs of %+v", asked.Weights, asked.Vocabulary, asked.Train.Epochs,
			asked.Train.Schedule)
	}
	if trained := trained.Jobs[0][0][1].Run; trained.Weights.Text != nil || trained.Train.Schedule == (train.Schedule{}) {
		t.Errorf("without one it is %+v", trained.Weights)
	}
	must.Fail(t, must.Err(of("language="+t.TempDir())), "config.json", "an empty folder")
}
