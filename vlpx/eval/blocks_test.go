package eval

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/random"
)

// drawEncodings has random embeddings of images and captions, the captions in turn of the images.
func drawEncodings(seed uint64, images, captions, vectors, dim int) *Encodings {
	source := random.Stream(seed, "encodings")
	e := &Encodings{vectors: vectors, dim: dim}
	for range images * vectors * dim {
		e.images.Features = append(e.images.Features, float32(source.NormFloat64()))
	}
	for c := range captions {
		e.captionImage = append(e.captionImage, c%images)
	}
	for range captions * dim {
		e.texts.Features = append(e.texts.Features, float32(source.NormFloat64()))
	}
	return e
}

// A block of rows at a time has the numbers of the whole matrix, to the bit, in whatever order rows are asked for.
func TestBlocksAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		images, captions := rapid.IntRange(1, 600).Draw(t, "images"), rapid.IntRange(1, 900).Draw(t, "captions")
		vectors, dim := rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "vectors"), rapid.IntRange(1, 130).Draw(t, "dim")
		e := drawEncodings(rapid.Uint64().Draw(t, "seed"), images, captions, vectors, dim)
		want := e.Similarities()
		i2t, t2i := e.tables(0)
		for _, of := range []struct {
			name string
			got  Rows
			want Scores
		}{{"images", i2t, want}, {"captions", t2i, want.Transpose()}} {
			if _, is := of.got.(*blocks); !is {
				t.Fatalf("%s: got %T, want blocks", of.name, of.got)
			}
			for _, i := range append([]int{of.want.Rows - 1, 0}, rapid.SliceOfN(rapid.IntRange(0, of.want.Rows-1), 0, 8).Draw(t,
				"rows")...) {
				if !slices.Equal(of.got.Row(i), of.want.Row(i)) {
					t.Fatalf("%s: row %d is another one", of.name, i)
				}
			}
		}
	})
}

// A matrix within the limit is held whole.
func TestTablesWithinTheLimit(t *testing.T) {
	i2t, t2i := drawEncodings(1, 3, 5, 1, 4).tables(15)
	if s, is := i2t.(Scores); !is || !slices.Equal(t2i.(Scores).Data, s.Transpose().Data) {
		t.Errorf("got %T and %T, want whole matrices", i2t, t2i)
	}
}

// What diverged is told by its place.
func TestBlocksTellOfNaN(t *testing.T) {
	e := drawEncodings(1, 300, 700, 1, 4)
	e.texts.Features[4*612] = float32(math.NaN())
	i2t, t2i := e.tables(0)
	_, err := Recall(i2t, t2i, e.captionImage)
	if want := "i2t: score of row 0 and column 612 is NaN"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if err := t2i.check("t2i", 700, 301); err == nil {
		t.Error("a table of other images is taken")
	}
}

// Retrieval of more pairs than are held at once allocates less than two thirds of their scores, by the cosine and re-ranked, and finds what
// the whole matrices give.
func TestRetrievalGoesByBlocks(t *testing.T) {
	const images, captions, k = 1700, 10200, 16
	if images*captions <= wholeLimit {
		t.Fatal("the test wants more scores than are held at once")
	}
	e := drawEncodings(1, images, captions, 1, 4)
	relation := everySeventh{}
	logit := func(pairs []ImageText) ([]float64, error) {
		logits := make([]float64, len(pairs))
		for p, pair := range pairs {
			logits[p] = math.Sin(float64(pair.Image*captions + pair.Text))
		}
		return logits, nil
	}
	measure := func(i2t, t2i Rows) (all []Result) {
		for range 2 {
			own := must.Get(Recall(i2t, t2i, e.captionImage))(t)
			known := must.Get(TrueRecall(i2t, t2i, e.captionImage, relation))(t)
			all = append(all, own, known)
			if len(all) == 2 {
				i2t, t2i = must.Get2(rerank(i2t, t2i, k, logit))(t)
			}
		}
		return all
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := measure(e.tables(wholeLimit))
	runtime.ReadMemStats(&after)
	if bytes, whole := after.TotalAlloc-before.TotalAlloc, uint64(8*images*captions); bytes > whole/3*2 {
		t.Errorf("%d bytes were allocated, and all scores have %d", bytes, whole)
	}
	whole := e.Similarities()
	for k, want := range measure(whole, whole.Transpose()) {
		for metric, value := range want {
			if got[k][metric] != value {
				t.Errorf("%s: got %v, want %v", metric, got[k][metric], value)
			}
		}
	}
}

// rerank is [Rerank] with results that are rows.
func rerank(i2t, t2i Rows, k int, score func([]ImageText) ([]float64, error)) (Rows, Rows, error) {
	ofImages, ofCaptions, err := Rerank(i2t, t2i, k, score)
	return ofImages, ofCaptions, err
}

// everySeventh is a relation that holds of few pairs.
type everySeventh struct{}

func (everySeventh) Holds(image, caption int) (holds, known bool) {
	return (image+caption)%701 == 0, true
}
