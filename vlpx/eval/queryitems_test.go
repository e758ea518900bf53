package eval_test

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// ofShares is a metric from its shares, each image counted as many times as it says.
func ofShares(shares []eval.Share, times []int) float64 {
	var metric float64
	for _, s := range shares {
		var sum, queries float64
		for i, n := range times {
			sum += float64(n) * s.Sums[i]
			queries += float64(n) * s.Queries[i]
		}
		metric += sum / queries
	}
	return metric
}

func once(images int) []int { return slices.Repeat([]int{1}, images) }

// TestItemsByHand is TestTrueRecallByHand's problem, whose comment derives the ranks.
func TestItemsByHand(t *testing.T) {
	w := world{
		i2t:          matrix([]float64{.1, .9, .5}, []float64{.2, .8, .3}, []float64{.9, .1, .4}),
		t2i:          matrix([]float64{.7, .2, .1}, []float64{.8, .6, .1}, []float64{.4, .3, .4}),
		captionImage: []int{0, 1, 2},
		truth:        []int{2, 2, 0, 1, 2, 1, 1, 1, 2},
	}
	_, got := must.Get2(eval.MeasuredBy(w.i2t, w.t2i, w.captionImage, w))(t)
	want := eval.Items{Captions: eval.Numbers{1, 1, 1}, Queries: map[eval.Metric]eval.Numbers{
		"TR rank": {3, 1, 2}, "TR rank tied": {1, 1, 1}, "IR rank tied": {1, 1, 2},
		"TR rank true": {1, 1, 2}, "TR rank false": {2, 1, 2}, "TR mAP": {833_333, 1_000_000, 500_000},
		"IR rank": {1, 2, 2}, "IR rank true": {1, 1, 2}, "IR rank false": {1, 1, 2}, "IR mAP": {1_000_000, 1_000_000, 500_000},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestMetricIsTheMeanOfItsItems: whatever the number of captions of an image, of every metric; and of a choice of images it is the
// mean over what their queries gave.
func TestMetricIsTheMeanOfItsItems(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		result, items, err := eval.MeasuredBy(w.i2t, w.t2i, w.captionImage, w)
		if err != nil {
			rt.Fatal(err)
		}
		if err := items.Check(); err != nil {
			rt.Error(err)
		}
		for metric, want := range result {
			near := 1e-9
			if strings.Contains(string(metric), "mAP") {
				near = 100 * .5e-6 // a precision is rounded to millionths
			}
			if got := ofShares(items.Shares(string(metric)), once(w.i2t.Rows)); math.Abs(got-want) > near {
				rt.Errorf("%s: got %v from the items, want %v", metric, got, want)
			}
		}
		times := rapid.SliceOfN(rapid.IntRange(0, 3), w.i2t.Rows, w.i2t.Rows).Draw(rt, "times")
		times[0]++
		var hits, queries float64
		for c, i := range w.captionImage {
			own := func(j int) bool { return j == i }
			queries += float64(times[i])
			if firstRight(ranking(w.t2i.Row(c), own), own) <= 5 {
				hits += 100 * float64(times[i])
			}
		}
		if got := ofShares(items.Shares("IR@5"), times); math.Abs(got-hits/queries) > 1e-9 {
			rt.Errorf("IR@5 of images taken %v times: got %v, want %v", times, got, hits/queries)
		}
	})
}

// TestFullKeepsItems: every metric of a model but those of judged pairs is the mean of its items, before and after they were written.
func TestFullKeepsItems(t *testing.T) {
	b := newBench(t)
	measured := must.Get(eval.Retrieval{Rerank: b.rerank}.Measure(context.Background(), b.Subject))(t)
	result, items := measured.Metrics, *eval.QueryItems.Of(measured.Examples)
	text := must.Get(json.Marshal(items))(t)
	var read eval.Items
	must.Do(t, json.Unmarshal(text, &read))
	if !reflect.DeepEqual(read, items) {
		t.Error("items differ after they were written and read")
	}
	if err := read.Check(); err != nil {
		t.Error(err)
	}
	judged := []eval.Metric{eval.JudgedAUC, eval.JudgedRecall5, eval.JudgedRecall8, eval.JudgedPrecision5, eval.JudgedPrecision8}
	of := 0
	for metric, want := range result {
		shares := read.Shares(string(metric))
		if slices.Contains(judged, eval.Metric(strings.TrimPrefix(string(metric), eval.CosinePrefix))) {
			if shares != nil {
				t.Errorf("%s: got %d shares of a metric that is not of queries", metric, len(shares))
			}
			continue
		}
		of++
		if shares == nil {
			t.Errorf("%s: no shares", metric)
		} else if got := ofShares(shares, once(len(read.Captions))); math.Abs(got-want) > 1e-4 {
			t.Errorf("%s: got %v from the items, want %v", metric, got, want)
		}
	}
	if want := 2 * 24; of != want {
		t.Errorf("got items of %d metrics, want %d", of, want)
	}
}

// Items of mini's 500 images with five captions each leave a result below 150 kB, even of a model that knows nothing.
func TestItemsAreSmall(t *testing.T) {
	const images, captions = 500, 2500
	r := rand.New(rand.NewPCG(1, 2))
	w := world{i2t: eval.NewScores(images, captions), t2i: eval.NewScores(captions, images), captionImage: make([]int, captions)}
	for k := range w.i2t.Data {
		w.i2t.Data[k], w.t2i.Data[k] = r.Float64(), r.Float64()
	}
	for c := range w.captionImage {
		w.captionImage[c] = c / 5
	}
	_, items := must.Get2(eval.MeasuredBy(w.i2t, w.t2i, w.captionImage, w))(t)
	for metric, list := range maps.Clone(items.Queries) {
		items.Queries[eval.CosinePrefix+metric] = list
	}
	text := must.Get(json.MarshalIndent(items, "", "  "))(t)
	if len(text) > 120_000 {
		t.Errorf("got %d bytes, want at most 120,000", len(text))
	}
}

func TestItemsOfWhatWasNotMeasured(t *testing.T) {
	items := eval.Items{Captions: eval.Numbers{1}, Queries: map[eval.Metric]eval.Numbers{eval.TRRank: {1}}}
	for _, metric := range []string{"IR@1", "IR mAP", "cosine TR@1", "R mean", "AUC", "", "loss"} {
		if shares := items.Shares(metric); shares != nil {
			t.Errorf("%q: got shares %v", metric, shares)
		}
	}
}

func TestDamagedItems(t *testing.T) {
	for text, want := range map[string]string{
		`{"Captions": "1 2", "Queries": {"TR rank": "1"}}`:          `1 entries of "TR rank", but 2 queries`,
		`{"Captions": "1 2", "Queries": {"cosine IR rank": "1 1"}}`: `2 entries of "cosine IR rank", but 3 queries`,
		`{"Captions": "1 -2"}`:                                      `number 2 is "-2"`,
		`{"Captions": "1,2"}`:                                       `number 1 is "1,2"`,
	} {
		var items eval.Items
		err := json.Unmarshal([]byte(text), &items)
		if err == nil {
			err = items.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
