package explore

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/train"
)

// album is a set of different captions. Of an image's key with another's caption judged reports what is known.
type album struct {
	captions [][]string
	judged   map[[2]string]bool
}

func (a album) Name() string                { return "album" }
func (a album) Len() int                    { return len(a.captions) }
func (a album) Captions(i int) []string     { return a.captions[i] }
func (a album) Key(i int) string            { return a.captions[i][0] }
func (a album) Relation() datasets.Relation { return a }
func (a album) Image(context.Context, int) (image.Image, error) {
	return image.NewGray(image.Rect(0, 0, 2, 2)), nil
}

func (a album) Holds(i, p int) (holds, known bool) {
	pair := datasets.Pairs(a)[p]
	if pair.Image == i {
		return true, true
	}
	holds, known = a.judged[[2]string{a.Key(i), pair.Text(a)}]
	return holds, known
}

// newAlbum is of so many images with so many captions each.
func newAlbum(images, captions int) album {
	a := album{judged: map[[2]string]bool{}}
	for i := range images {
		var own []string
		for c := range captions {
			own = append(own, fmt.Sprintf("%d/%d", i, c))
		}
		a.captions = append(a.captions, own)
	}
	return a
}

const testDim = 6

// explorer is of a set with random embeddings on the pure-Go engine, at mini-batches of 8.
func explorer(t testing.TB, set datasets.Set) *Explorer {
	t.Helper()
	backend := enginetest.PureGo(t)
	return explorerOn(t, backend, set, 8, testDim)
}

func explorerOn(t testing.TB, backend compute.Backend, set datasets.Set, batch, dim int) *Explorer {
	t.Helper()
	x := newExplorer(backend, set, 1e6, train.Config{Framework: framework.Choice{Framework: albef.Model{Embed: dim}}, BatchSize: batch,
		Epochs: 4, Seed: 1})
	x.temperature = 0.3
	r := random.Stream(1, "test embeddings")
	x.image, x.text = units(r, set.Len(), dim), units(r, len(x.pairs), dim)
	t.Cleanup(x.Close)
	return x
}

// units are random directions, [n, dim].
func units(r *rand.Rand, n, dim int) []float32 {
	var rows []float32
	for range n {
		row, square := make([]float64, dim), 0.0
		for d := range row {
			row[d] = r.NormFloat64()
			square += row[d] * row[d]
		}
		for _, v := range row {
			rows = append(rows, float32(v/math.Sqrt(square)))
		}
	}
	return rows
}

// mini is the mini-batch of an anchor, as Negatives makes it.
func (x *Explorer) mini(anchor int, side Side) []int {
	batch := []int{anchor}
	for _, c := range nearest(x.cosines(anchor, side), x.batch-1) {
		batch = append(batch, x.pairOf(c, side))
	}
	return batch
}

// logits are the similarities over temperature of a mini-batch, anchors of a side in rows.
func (x *Explorer) logits(batch []int, side Side) [][]float64 {
	anchors, keys := x.features(batch)
	if side == OfText {
		anchors, keys = keys, anchors
	}
	z := make([][]float64, len(batch))
	for i := range z {
		for j := range batch {
			sum := 0.0
			for d := range x.start.Dim {
				sum += float64(anchors[i*x.start.Dim+d]) * float64(keys[j*x.start.Dim+d])
			}
			z[i] = append(z[i], sum/x.temperature)
		}
	}
	return z
}

func transposed(z [][]float64) [][]float64 {
	out := make([][]float64, len(z))
	for i := range z {
		for j := range z {
			out[i] = append(out[i], z[j][i])
		}
	}
	return out
}

// softmax of a row, without the own column if that is not negative.
func softmax(row []float64, own int) []float64 {
	p, sum := make([]float64, len(row)), 0.0
	for j, z := range row {
		if j != own {
			p[j] = math.Exp(z)
			sum += p[j]
		}
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

// see asks a method about an anchor's mini-batch.
func (x *Explorer) see(t testing.TB, m negative.Method, anchor int, side Side) sight {
	t.Helper()
	batch := x.mini(anchor, side)
	l := must.Get(x.compiledMethod(m.WithDefaults(), side))(t)
	sc := scene{temperature: x.temperature, progress: x.Progress, seed: 1, items: make([]int32, len(batch))}
	sc.image, sc.text = x.features(batch)
	for _, p := range batch {
		sc.index = append(sc.index, int32(p))
	}
	sc.truth = must.Get(x.truth(m, batch))(t)
	sc.scores = must.Get(x.scores(t.Context(), m, batch, side, sc.truth))(t)
	seen := must.Get(l.look(sc))(t)
	return seen
}

func near(t testing.TB, name string, got, want []float64, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d numbers, want %d", name, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= within) {
			t.Errorf("%s: number %d: got %v, want %v", name, i, got[i], want[i])
		}
	}
}

var sides = map[string]Side{"of image": OfImage, "of text": OfText}
