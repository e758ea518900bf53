package uniter

import (
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// changed is the method with other settings of writing.
func changed(how func(*negative.TAGS)) negative.Method {
	m := writing()
	tags := m.Writing.(negative.TAGS)
	how(&tags)
	m.Writing = tags
	return m
}

// A step is what the model reports of each caption with each image alone, whatever the method and wherever pairs of the same image are.
func TestStepAgainstLoops(t *testing.T) {
	retrieving := negative.Method{Name: "UNITER", Matching: negative.Retrieved{Pool: 4, Keep: 2}}.WithDefaults()
	all := retrieving
	all.Matching = negative.Retrieved{Pool: 4, Keep: 4}
	for name, c := range map[string]struct {
		method negative.Method
		move   func(*mini)
	}{
		"retrieved": {method: retrieving}, "all": {method: all}, "written": {method: writing()},
		"none is apart": {writing(), func(b *mini) { b.items, b.poolItems = []int32{5, 5, 5}, []int32{5, 5, 5, 5} }},
		"one is moved":  {retrieving, func(b *mini) { b.items, b.poolItems = []int32{0, 7, 1}, []int32{1, 7, 7, 7} }},
		"no matching":   {method: changed(func(m *negative.TAGS) { m.ISTM = 0 })},
		"no words":      {method: changed(func(m *negative.TAGS) { m.WoD, m.WoC = 0, 0 })},
		"no masked":     {method: changed(func(m *negative.TAGS) { m.MLM = 0 })},
		"static":        {method: changed(func(m *negative.TAGS) { m.Static = true })},
	} {
		t.Run(name, func(t *testing.T) {
			on, b := enginetest.PureGo(t), newMini(6, 3)
			if c.move != nil {
				c.move(&b)
			}
			store := initialised(t, on, small(), use(c.method), 3)
			if c.method.NeedsReference() {
				must.Do(t, framework.Freeze(initialised(t, on, small(), use(c.method), 4), store))
			}
			got, want := step(t, on, store, small(), use(c.method), b), slowStep(t, on, store, small(), c.method, b)
			agree(t, got, want)
			if name == "written" && !slices.Contains(want.Outputs[field.SentencePassed], 0) {
				t.Error("every sentence passes; the case reports little")
			}
		})
	}
}

// More padding, more rows to spare and other numbers in these change nothing.
func TestStepToSpare(t *testing.T) {
	on := enginetest.PureGo(t)
	store := initialised(t, on, small(), use(writing()), 3)
	want := step(t, on, store, small(), use(writing()), newMini(6, 3))
	wider, longer := small(), use(writing())
	wider.Regions.Count, longer.Tokens = 5, 9
	b := newMini(9, 5)
	for _, images := range [][][]float32{b.images, b.poolImages} {
		for _, image := range images {
			for k := range image {
				if row := k / 13; image[row*13+12] == 0 && k%13 < 12 {
					image[k] = 1e3
				}
			}
		}
	}
	got := step(t, on, store, wider, longer, b)
	var sentences []float64
	for k, id := range got.Outputs[field.Sentences] {
		if k%9 < 6 {
			sentences = append(sentences, id)
		} else if id != 0 {
			t.Errorf("a word %g behind the padding", id)
		}
	}
	got.Outputs[field.Sentences] = sentences
	agree(t, got, want)
	for path, size := range want.Gradients {
		if !(math.Abs(got.Gradients[path]-size) <= 1e-3*max(0.01, size)) {
			t.Errorf("gradient of %s: got %g, want %g", path, got.Gradients[path], size)
		}
	}
}

// A loss reaches the heads that it has and no other, and nothing reaches what writes or picks.
func TestWhatGradientsReach(t *testing.T) {
	on := enginetest.PureGo(t)
	const rank, wod, mlm, corrected = "/rank/", "/wod/", "/text/mlm/", "/text/corrected/"
	of := func(loss negative.Loss) negative.Method {
		return changed(func(m *negative.TAGS) {
			at := map[negative.Loss]*float64{negative.MLM: &m.MLM, negative.ISTM: &m.ISTM, negative.WoD: &m.WoD, negative.WoC: &m.WoC}
			m.MLM, m.ISTM, m.WoD, m.WoC = 0, 0, 0, 0
			if at[loss] != nil {
				*at[loss] = 1
			}
		})
	}
	for loss, heads := range map[negative.Loss][]string{
		negative.ITM: {rank}, negative.ISTM: {rank}, negative.MLM: {rank, mlm}, negative.WoD: {rank, wod}, negative.WoC: {rank, corrected},
	} {
		b := newMini(6, 3)
		store := initialised(t, on, small(), use(of(loss)), 3)
		got := step(t, on, store, small(), use(of(loss)), b).Gradients
		for _, head := range []string{rank, wod, mlm, corrected} {
			sum := 0.0
			for path, size := range got {
				if strings.HasPrefix(path, head) {
					sum += size
				}
			}
			if reached := sum > 0; reached != slices.Contains(heads, head) {
				t.Errorf("%s: the gradient of %s is %g", loss, head, sum)
			}
		}
		for _, path := range []string{"/text/layer_0/attention/qkv/weights", "/regions/features/in/weights", "/regions/geometry/in/weights",
			"/text/pooler/weights",
			"/text/embeddings/word/embedding"} {
			if !(got[path] > 0) {
				t.Errorf("%s: no gradient of %s", loss, path)
			}
		}
	}
	// Where no pair is apart and no loss on sentences is asked for, nothing is left to learn from.
	b := newMini(6, 3)
	b.items, b.poolItems = []int32{5, 5, 5}, []int32{5, 5, 5, 5}
	for path, size := range step(t, on, initialised(t, on, small(), use(of("")), 3), small(), use(of("")), b).Gradients {
		if size != 0 {
			t.Errorf("the gradient of %s is %g without anything to learn", path, size)
		}
	}
}

// Sentences and negatives are picked and scored as in evaluation, while what is trained has dropout.
func TestDropoutIsOfTraining(t *testing.T) {
	on, b := enginetest.PureGo(t), newMini(6, 3)
	dropping := small()
	dropping.Text.Dropout = 0.4
	static := changed(func(m *negative.TAGS) { m.Static = true })
	store := initialised(t, on, dropping, use(static), 3)
	must.Do(t, framework.Freeze(initialised(t, on, dropping, use(static), 4), store))
	got, want := step(t, on, store, dropping, use(static), b), slowStep(t, on, store, dropping, static, b)
	for _, name := range []field.Name{field.Sentences, field.SentenceScores, field.SentencePassed, field.SentencesKept} {
		for k, x := range want.Outputs[name] {
			if math.Abs(got.Outputs[name][k]-x) > 2e-4*max(1, math.Abs(x)) {
				t.Errorf("%s: got %g, want %g as in evaluation", name, got.Outputs[name][k], x)
			}
		}
	}
	for loss, without := range want.Losses {
		if math.Abs(got.Losses[loss]-without) < 1e-4 {
			t.Errorf("%s is %g, as without dropout", loss, got.Losses[loss])
		}
	}
}
