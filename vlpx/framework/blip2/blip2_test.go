package blip2

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// More padding changes nothing, and the losses reported again are the same.
func TestPadding(t *testing.T) {
	on, m := enginetest.PureGo(t), small()
	u := use(negative.Plain(), 3, 5)
	store := initialised(t, on, m, u)
	want := step(t, on, store, m, u, three(5))
	got := step(t, on, store, m, use(negative.Plain(), 3, 8), three(8))
	sum := 0.0
	for name, loss := range want.Losses {
		near(t, string(name)+" with more padding", got.Losses[name], loss)
		sum += loss
	}
	near(t, "the losses again", want.Again, sum)
	for path, size := range want.Gradients {
		near(t, path+" with more padding", got.Gradients[path], size)
	}
}

// A token's successor is predicted without it and what follows it, and depends on the image.
func TestGenerationIsCausal(t *testing.T) {
	on, m := enginetest.PureGo(t), small()
	u := use(negative.Plain(), 3, 5)
	store := initialised(t, on, m, u)
	logits := func(b mini) []float64 {
		return steptest.Run(t, on, store, func(s *model.Scope, in []*Node) []*Node {
			online := s.Store().Scope(framework.Model)
			seen := m.Look(online, in[1])
			return []*Node{m.NextLogits(online, in[0], seen.Offered)}
		}, tensors.FromFlatDataAndDimensions(slices.Concat(b.captions...), 3, 5),
			framework.Rows(slices.Concat(picture(b.images[0], side*side*3), picture(1, side*side*3),
				picture(2, side*side*3)), side, side, 3))[0]
	}
	b := three(5)
	before := logits(b)
	at := func(row, token int) []float64 {
		words := m.Text.Words()
		return before[(row*5+token)*words : (row*5+token+1)*words]
	}
	first, changed := slices.Clone(at(0, 2)), slices.Clone(at(0, 3))
	b.captions[0] = []int32{11, 5, 6, 4, 3} // the first token counts as [DEC], whatever it is
	before = logits(b)
	if !slices.Equal(at(0, 2), first) {
		t.Error("a later token, or the one in the place of [DEC], changes what is predicted")
	}
	if slices.Equal(at(0, 3), changed) {
		t.Error("a token does not change what follows it")
	}
	b.images[0] = 5
	before = logits(b)
	if slices.Equal(at(0, 2), first) {
		t.Error("the image changes nothing")
	}
}

// New positives are further rows of ITG, as captions of the images that they are new to, and spare rows count nothing.
func TestNewPositivesAreGenerated(t *testing.T) {
	on, m := enginetest.PureGo(t), small()
	method := negative.Method{Name: "MAFA", Positives: negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}}
	u := use(method, 3, 5)
	store := initialised(t, on, m, u)
	b := three(5)
	b.truth = [][]float32{{1, 1, 1}, {1, 1, 1}, {0, 0, 1}}
	got := step(t, on, store, m, u, b)
	all := b
	count := 0
	add := func(image, text int, score float64) {
		if score > 0.8 {
			all.images, all.captions, count = append(all.images, image), append(all.captions, b.captions[text]), count+1
		}
	}
	for k := range 3 {
		add(k, int(got.Outputs[field.PickedTexts][k]), got.Outputs[field.TextScores][k])
	}
	for k := range 3 {
		add(int(got.Outputs[field.PickedImages][k]), k, got.Outputs[field.ImageScores][k])
	}
	if count == 0 || count == 6 {
		t.Fatalf("%d of 6 candidates are true; want some", count)
	}
	near(t, "joined", got.Outputs[field.Joined][0], float64(count))
	plain := step(t, on, store, m, use(negative.Plain(), len(all.images), 5), all)
	near(t, "ITG", got.Losses[negative.ITG], plain.Losses[negative.ITG])
	u.Room = count
	near(t, "ITG without spare rows", step(t, on, store, m, u, b).Losses[negative.ITG], plain.Losses[negative.ITG])
}

// A frozen image encoder has no gradient and does not decay; the normalisation behind it is trained.
func TestFrozen(t *testing.T) {
	on := enginetest.PureGo(t)
	for _, frozen := range []bool{false, true} {
		m := small()
		m.Frozen = frozen
		u := use(negative.Plain(), 3, 5)
		store := initialised(t, on, m, u)
		of := step(t, on, store, m, u, three(5)).Gradients
		vision := 0
		for v := range store.Scope(framework.Model + "/vision").IterVariables() {
			vision++
			if v.Trainable == frozen {
				t.Errorf("frozen %t: %s is trainable: %t", frozen, v.Path(), v.Trainable)
			}
			if _, has := of[v.Path()[len(framework.Model):]]; has == frozen {
				t.Errorf("frozen %t: %s has a gradient: %t", frozen, v.Path(), has)
			}
		}
		if vision == 0 || of["/vision_norm/gain"] == 0 {
			t.Errorf("frozen %t: %d variables of the image encoder, a gradient %g of its normalisation", frozen, vision,
				of["/vision_norm/gain"])
		}
	}
}

// A locked encoder's tokens are read as they are.
func TestLocked(t *testing.T) {
	on, m := enginetest.PureGo(t), small().Lock(7).(Model)
	u := use(negative.Plain(), 3, 5)
	store := initialised(t, on, m, u)
	for v := range store.Scope(framework.Model + "/vision").IterVariables() {
		t.Errorf("there is %s", v.Path())
	}
	of := step(t, on, store, m, u, three(5))
	if of.Gradients["/qformer/layer_0/cross/kv/weights"] == 0 || of.Losses[negative.ITC] == 0 {
		t.Errorf("got %+v", of)
	}
}

// The two feed-forwards of a layer start equal, and cross-attention is in every second layer.
func TestFirstValues(t *testing.T) {
	on, m, store := enginetest.PureGo(t), small(), model.NewStore()
	m.Temperature = 0.2
	u := use(negative.Plain(), 3, 5)
	must.Do(t, framework.Initialise(m, u, on, store, negative.Start{Pairs: 9, BatchSize: 3, Dim: 6, Epochs: 1, Seed: 3}))
	twins := 0
	for v := range store.Scope(framework.Model + "/qformer").IterVariables() {
		if strings.Contains(v.Path(), "/layer_1/cross/") {
			t.Errorf("there is %s", v.Path())
		}
		if strings.Contains(v.Path(), "/mlp/") {
			twins++
			if twin := store.GetVariable(strings.Replace(v.Path(), "/mlp/", "/query_mlp/", 1)); twin == nil ||
				!twin.MustValue().Equal(v.MustValue()) {
				t.Errorf("%s differs from that of the queries", v.Path())
			}
		}
	}
	if twins != 6*m.Text.Layers {
		t.Errorf("%d variables of feed-forwards", twins)
	}
	if tau := tensors.ToScalar[float32](store.GetVariable(framework.Model + "/temperature").MustValue()); tau != 0.2 {
		t.Errorf("a temperature of %g", tau)
	}
}

// What it lacks is reported, and what does not fit.
func TestCheck(t *testing.T) {
	var lacking *framework.Lacking
	if err := framework.Check(small(), use(negative.ALBEF(0), 3, 5)); !errors.As(err, &lacking) || lacking.Needs != "momentum encoders" {
		t.Errorf("ALBEF: got %v", err)
	}
	for want, change := range map[string]func(*Model, *framework.Use){
		"0 queries":                   func(m *Model, _ *framework.Use) { m.Text.Queries = 0 },
		"images of 16 pixels":         func(_ *Model, u *framework.Use) { u.Image = 16 },
		"captions of 10 tokens":       func(_ *Model, u *framework.Use) { u.Tokens = 10 },
		"training by ITM alone":       func(_ *Model, u *framework.Use) { u.Objectives = negative.Of(negative.ITM) },
		"a label smoothing of 1":      func(m *Model, _ *framework.Use) { m.Smoothing = 1 },
		"heads that divide the width": func(m *Model, _ *framework.Use) { m.Text.Heads = 5 },
	} {
		m, u := small(), use(negative.Plain(), 3, 5)
		change(&m, &u)
		must.Fail(t, framework.Check(m, u), want)
	}
	if err := framework.Check(small(), use(negative.Plain(), 3, 5)); err != nil {
		t.Error(err)
	}
}

// A run's JSON is read back to the same model.
func TestJSON(t *testing.T) {
	want := framework.Choice{Framework: Paper()}
	text := must.Get(json.Marshal(want))(t)
	var got framework.Choice
	if err := json.Unmarshal(text, &got); err != nil || got.Framework != want.Framework {
		t.Errorf("got %+v, %v from %s", got, err, text)
	}
}
