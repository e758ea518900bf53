package datasets

import (
	"reflect"
	"testing"
)

// Image 0 asks and finds pairs 0 and 3, pair 2 asks and finds images 1 and 2; nothing else asks.
var asked = Answers{Captions: [][]int{{0, 3}, nil, nil}, Images: [][]int{nil, nil, {1, 2}, nil}}

func TestAnswersHold(t *testing.T) {
	const t1, f1, unknown = 1, 0, -1
	for i, row := range [][]int{{t1, f1, f1, t1}, {unknown, unknown, t1, unknown}, {unknown, unknown, t1, unknown}} {
		for p, want := range row {
			holds, known := asked.Holds(i, p)
			if known != (want != unknown) || holds != (want == t1) {
				t.Errorf("image %d, pair %d: got %v, known %v; want %d", i, p, holds, known, want)
			}
		}
	}
}

// A query keeps the answers that are shown, and is none without any.
func TestFirstAnswers(t *testing.T) {
	for _, c := range []struct {
		images, pairs int
		want          Answers
	}{
		{3, 4, asked},
		{2, 3, Answers{[][]int{{0}, nil}, [][]int{nil, nil, {1}}}},
		{1, 3, Answers{[][]int{{0}}, [][]int{nil, nil, nil}}},
	} {
		if got := asked.First(c.images, c.pairs); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d images and %d pairs: got %v, want %v", c.images, c.pairs, got, c.want)
		}
	}
}

// benchmarked is a set whose relation has answers.
type benchmarked struct{ fake }

func (b benchmarked) Relation() Relation             { return b }
func (b benchmarked) Answers() map[Benchmark]Answers { return map[Benchmark]Answers{ECCV: asked} }

func TestFirstKeepsBenchmarks(t *testing.T) {
	whole := benchmarked{fake{{"a", "b"}, {"c"}, {"d"}}}
	got := First(whole, 2, 0).(Related).Relation().(Benchmarked)
	if want := asked.First(2, 3); !reflect.DeepEqual(got.Answers(), map[Benchmark]Answers{ECCV: want}) {
		t.Errorf("got %v, want %v", got.Answers(), want)
	}
	if _, ok := First(fake{{"a"}}, 1, 0).(Related).Relation().(Benchmarked); ok {
		t.Error("a relation without benchmarks has some")
	}
}
