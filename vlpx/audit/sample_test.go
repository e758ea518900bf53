package audit

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// plain is a set of so many pairs, each of a caption of its own, on a circle: the image at an angle, its caption beside it.
func plain(n int) (set named, images, texts []float32) {
	set.relation = parity{}
	for i := range n {
		set.captions = append(set.captions, []string{fmt.Sprintf("caption %d", i)})
		at := float64(i) / float64(n) * math.Pi
		images = append(images, float32(math.Cos(at)), float32(math.Sin(at)))
		texts = append(texts, float32(math.Cos(at+.01)), float32(math.Sin(at+.01)))
	}
	return set, images, texts
}

// parity is a relation by which a caption is true of the images whose places are even as its own is.
type parity struct{}

func (parity) Holds(image, pair int) (holds, known bool) { return image%2 == pair%2, true }

// Negatives are of other pairs of the anchor's mini-batch, half of them of images; the hardest is nearest to its anchor of all of these.
func TestDraw(t *testing.T) {
	set, images, texts := plain(20)
	of := textsOf(set)
	r := &Sample{Set: set, Batch: 5}
	must.Do(t, r.draw(of, images, texts, 1, 2, Sampling{Batch: 5, Anchors: 13}, map[int]bool{7: true}))
	again := &Sample{Set: set, Batch: 5}
	must.Do(t, again.draw(of, images, texts, 1, 2, Sampling{Batch: 5, Anchors: 13}, map[int]bool{7: true}))
	if len(r.Negatives[InBatch]) != 13 || len(r.Negatives[Hardest]) != 13 || fmt.Sprint(again) != fmt.Sprint(r) {
		t.Fatalf("got %d and %d negatives, or other ones each time, want 13 of each kind", len(r.Negatives[InBatch]), len(r.Negatives[Hardest]))
	}
	if math.Abs(r.Own-math.Cos(.01)) > 1e-6 {
		t.Errorf("got %v of own pairs, want cos .01", r.Own)
	}
	for k, c := range r.Negatives[InBatch] {
		hard := r.Negatives[Hardest][k]
		for _, n := range []Candidate{c, hard} {
			if n.Image == n.Of || n.Image == 7 || n.Of == 7 || !n.Known || n.True != (n.Image%2 == n.Of%2) {
				t.Errorf("negative %d is %+v", k, n)
			}
		}
		if hard.Scores[Cosine] < c.Scores[Cosine] {
			t.Errorf("the hardest of anchor %d, %+v, is farther than %+v", k, hard, c)
		}
		if a := k % 5; a%2 == 0 && c.Image != hard.Image || a%2 == 1 && c.Of != hard.Of {
			t.Errorf("anchor %d is of %+v and %+v, want one image or one caption", k, c, hard)
		}
	}
	must.Fail(t, r.draw(of, images, texts, 1, 2, Sampling{Batch: 21, Anchors: 3}, nil), "no mini-batch of 21")
}

// Estimates count by each way to tell; what is known of less than half of the negatives tells nothing.
func TestEstimate(t *testing.T) {
	r := &Sample{Has: [scores]bool{Cosine: true, ConD: true}, Own: .5}
	for k, conD := range []float64{.9, .8, .7, 0} {
		r.Negatives[InBatch] = append(r.Negatives[InBatch], Candidate{Scores: [scores]float64{float64(k) / 4, math.NaN(), conD}})
	}
	for by, want := range map[By]float64{ByConD: 50, ByCosine: 100, Told: -1, ByITM: -1} {
		if e, ok := r.Estimate(InBatch, by); ok != (want >= 0) || ok && (e.Share != want || e.Of != 4 || e.Low >= e.Share || e.High < e.Share) {
			t.Errorf("%s: got %+v, %v, want %v", by, e, ok, want)
		}
	}
	if r.Best() != ByConD {
		t.Errorf("told by %s, want by Con-D", r.Best())
	}
	r.Negatives[InBatch][0].Known = true
	if _, ok := r.Estimate(InBatch, Told); ok {
		t.Error("one known negative of four tells")
	}
	r.Negatives[InBatch][1].Known, r.Negatives[InBatch][1].True = true, true
	if e, ok := r.Estimate(InBatch, Told); !ok || e.Share != 50 || e.Of != 2 || r.Best() != Told {
		t.Errorf("got %+v, %v of two known negatives, want one half", e, ok)
	}
}

// The table for a person has a negative once, and none of the image's own captions.
func TestSampleCSV(t *testing.T) {
	set, _, _ := plain(3)
	r := &Sample{Set: set, Split: "train"}
	one := func(image, of, text int, own bool) Candidate {
		return Candidate{Image: image, Of: of, text: text, own: own, Caption: "x"}
	}
	r.Negatives[InBatch] = []Candidate{one(0, 1, 1, false), one(1, 2, 2, false)}
	r.Negatives[Hardest] = []Candidate{one(0, 1, 1, false), one(2, 2, 2, true)}
	var text bytes.Buffer
	must.Do(t, r.WriteCSV(&text))
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "negative,true,caption,") || !strings.HasPrefix(lines[1], "both,,x,train,a,b,") ||
		!strings.HasPrefix(lines[2], "in a mini-batch,,x,train,b,c,") {
		t.Errorf("got %q", lines)
	}
}

// A caption of several of the image's own is known to be true.
func TestOwnNegative(t *testing.T) {
	set := named{captions: [][]string{{"a disc", "a ring"}, {"a ring"}}, relation: parity{}}
	of := textsOf(set)
	if c := of.negative(near{image: 0, text: slices.Index(of.captions, "a ring")}); !c.True || !c.Known || !c.own {
		t.Errorf("got %+v, want one of its own", c)
	}
}
