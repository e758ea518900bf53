package eval_test

import (
	"cmp"
	"context"
	"errors"
	"image"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// bench is a tiny model that knows nothing, on scenes whose numbers of images and captions are no multiples of the batch of 64.
type bench struct {
	eval.Subject
	rerank   int
	features []framework.Encoded // of each image alone, then of each caption alone
	ids      [][]int32
	owner    []int // the image of each caption
}

func newBench(t *testing.T) *bench {
	t.Helper()
	const images = 70
	collection := must.Get(scenes.New(scenes.Config{Train: 1, Val: 1, Test: images, Captions: 2, Size: 16}.WithDefaults()))(t)
	set := must.Get(collection.Split("test"))(t)
	b := &bench{Subject: eval.Subject{Set: set, Size: 16, MaxLen: 12}, rerank: 10}
	captions := func(yield func(string) bool) {
		for _, p := range datasets.Pairs(set) {
			if !yield(text.Clean(p.Text(set), text.MaxWords)) {
				return
			}
		}
	}
	b.Tokenizer = must.Get(text.FromCorpus(captions, 1, 1000))(t)
	a := albef.Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 12, Layers: 1, Heads: 2, MLP: 8},
		Text:   encoder.BERT{Vocab: b.Tokenizer.Size(), Positions: 12, Width: 12, Heads: 2, MLP: 8, Layers: 1, Fusion: 1},
		Embed:  6,
	}
	backend := enginetest.PureGo(t)
	store, use := model.NewStore(), framework.Use{Method: negative.Plain(), Batch: 2, Image: 16, Tokens: b.MaxLen}
	must.Do(t, framework.Initialise(a, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 6, Epochs: 1, Seed: 7}))
	b.Model = must.Get(framework.NewInference(a, use, backend, store))(t)
	t.Cleanup(b.Model.Close)
	return b
}

// cosines is retrieval in brief, full with re-ranking.
func (b *bench) cosines(ctx context.Context) (eval.Result, error) {
	brief := b.Subject
	brief.Brief = true
	got, err := eval.Retrieval{Rerank: b.rerank}.Measure(ctx, brief)
	return got.Metrics, err
}

func (b *bench) full(ctx context.Context) (eval.Result, error) {
	got, err := eval.Retrieval{Rerank: b.rerank}.Measure(ctx, b.Subject)
	return got.Metrics, err
}

// encodeSlowly encodes every image and every caption by itself.
func (b *bench) encodeSlowly(t *testing.T) {
	t.Helper()
	for i := range b.Set.Len() {
		pixels, _ := must.Get2(loader.Pixels(context.Background(), b.Set, []int{i}, b.Size))(t)
		encoded := must.Get(b.Model.Images(pixels))(t)
		b.features = append(b.features, encoded)
	}
	for _, p := range datasets.Pairs(b.Set) {
		ids := b.Tokenizer.Encode(text.Clean(p.Text(b.Set), text.MaxWords), b.MaxLen)
		encoded := must.Get(b.Model.Texts(ids))(t)
		b.features, b.ids, b.owner = append(b.features, encoded), append(b.ids, ids), append(b.owner, p.Image)
	}
}

// cosine is the similarity of an image and a caption that were encoded alone.
func (b *bench) cosine(image, caption int) float64 {
	var dot float64
	for d, u := range b.features[image].Features {
		dot += float64(u) * float64(b.features[b.Set.Len()+caption].Features[d])
	}
	return dot
}

// measure is retrieval by scores, images asking and captions asking.
func (b *bench) measure(t *testing.T, i2t, t2i eval.Scores) eval.Result {
	t.Helper()
	result := must.Get(eval.Recall(i2t, t2i, b.owner))(t)
	known := must.Get(eval.TrueRecall(i2t, t2i, b.owner, b.Set.(datasets.Related).Relation()))(t)
	for metric, value := range known {
		result[metric] = value
	}
	return result
}

// cracked is a set of which some images cannot be decoded.
type cracked struct {
	datasets.Set
	broken []int
}

var errCracked = errors.New("cracked")

func (c cracked) Image(ctx context.Context, i int) (image.Image, error) {
	if slices.Contains(c.broken, i) {
		return nil, errCracked
	}
	return c.Set.Image(ctx, i)
}

// An image that cannot be decoded is an error unless it is accepted; then it takes part as the mean colour, and no other is moved.
func TestUnreadableImagesAreAskedFor(t *testing.T) {
	b := newBench(t)
	b.encodeSlowly(t)
	broken := []int{3, b.Set.Len() - 1} // the last one is repeated to fill the batch
	grey := must.Get(b.Model.Images(make([]float32, 3*b.Size*b.Size)))(t)
	for _, i := range broken {
		b.features[i] = grey
	}
	b.Set = cracked{b.Set, broken}
	if _, err := b.Encode(t.Context()); !errors.Is(err, errCracked) {
		t.Errorf("nobody accepts: got %v, want the image's error", err)
	}
	refusal := errors.New("no")
	b.Accept = func(loader.Skip) error { return refusal }
	if _, err := b.cosines(t.Context()); !errors.Is(err, refusal) {
		t.Errorf("refused: got %v, want the refusal", err)
	}
	var asked []int
	b.Accept = func(s loader.Skip) error {
		asked = append(asked, s.Image)
		return nil
	}
	encodings, err := b.Encode(t.Context())
	if err != nil || !slices.Equal(asked, broken) {
		t.Fatalf("asked for %v (%v), want %v, each once", asked, err, broken)
	}
	similarities := encodings.Similarities()
	for i := range similarities.Rows {
		for c, similarity := range similarities.Row(i) {
			if want := b.cosine(i, c); math.Abs(similarity-want) > 1e-5 {
				t.Fatalf("image %d, caption %d: got %g, want %g", i, c, similarity, want)
			}
		}
	}
}

func TestCosineAgainstLoop(t *testing.T) {
	b := newBench(t)
	b.encodeSlowly(t)
	encodings := must.Get(b.Encode(context.Background()))(t)
	got := encodings.Similarities()
	if got.Rows != b.Set.Len() || got.Cols != len(b.owner) {
		t.Fatalf("got [%d, %d], want [%d, %d]", got.Rows, got.Cols, b.Set.Len(), len(b.owner))
	}
	for i := range got.Rows {
		for c, similarity := range got.Row(i) {
			if want := b.cosine(i, c); math.Abs(similarity-want) > 1e-5 {
				t.Fatalf("image %d, caption %d: got %v, want %v", i, c, similarity, want)
			}
		}
	}
	result := must.Get(b.cosines(context.Background()))(t)
	same(t, result, b.measure(t, got, got.Transpose()))
}

// With as many candidates as there are, only image-text matching decides; with fewer, the cosine chooses them. Either way the
// metrics without re-ranking stand beside.
func TestFullAgainstLoop(t *testing.T) {
	b := newBench(t)
	b.encodeSlowly(t)
	ctx, images := context.Background(), b.Set.Len()
	var states []float32
	var ids []int32
	for c := range b.owner {
		states, ids = append(states, b.features[images+c].States...), append(ids, b.ids[c]...)
	}
	matches, probabilities := eval.NewScores(images, len(b.owner)), eval.NewScores(images, len(b.owner))
	for i := range images {
		logits := must.Get(b.Model.Match(states, ids, slices.Repeat(b.features[i].States, len(b.owner))))(t)
		for c, logit := range logits {
			matches.Row(i)[c] = float64(logit)
		}
		matched := must.Get(b.Model.Probabilities(states, ids, slices.Repeat(b.features[i].States, len(b.owner))))(t)
		for c, p := range matched {
			probabilities.Row(i)[c] = float64(p)
		}
	}
	encodings := must.Get(b.Encode(ctx))(t)
	cosines := encodings.Similarities()
	// The set is small enough for all its pairs to be judged.
	judged := eval.SampleJudged(images, b.owner, b.Set.(datasets.Related).Relation(), len(matches.Data))
	discriminated := must.Get(judged.Matching(func(pairs []eval.ImageText) ([]float64, error) { return at(probabilities, pairs), nil }))(t)
	for _, candidates := range []int{10, len(b.owner)} {
		b.rerank = candidates
		got := must.Get(b.full(ctx))(t)
		want := b.measure(t, reranked(matches, cosines, candidates), reranked(matches.Transpose(), cosines.Transpose(), candidates))
		for metric, value := range b.measure(t, cosines, cosines.Transpose()) {
			want[eval.CosinePrefix+metric] = value
		}
		maps.Copy(want, discriminated)
		// A probability differs in its last bit between batches, which turns a few couples of very near pairs.
		if math.Abs(got[eval.JudgedAUC]-want[eval.JudgedAUC]) < 1e-3 {
			want[eval.JudgedAUC] = got[eval.JudgedAUC]
		}
		// So does a score of matching, by which two equal captions are then no tie.
		for _, tied := range []eval.Metric{eval.TRTied, eval.IRTied} {
			if math.Abs(got[tied]-want[tied]) < 5 {
				want[tied] = got[tied]
			}
		}
		want[eval.CosinePrefix+eval.JudgedAUC] = judged.Cosine(cosines)[eval.JudgedAUC]
		same(t, got, want)
	}
}

func TestFullWithoutRelation(t *testing.T) {
	b := newBench(t)
	b.Set = datasets.First(b.Set, 0, 1)
	got := must.Get(b.full(context.Background()))(t)
	for _, metric := range []eval.Metric{eval.JudgedAUC, eval.CosinePrefix + eval.JudgedAUC, eval.IR1True} {
		if v, there := got[metric]; there {
			t.Errorf("%s: got %v of a set whose relation is not known", metric, v)
		}
	}
}

// reranked keeps the matches of each row's nearest candidates.
func reranked(matches, cosines eval.Scores, candidates int) eval.Scores {
	kept := eval.NewScores(matches.Rows, matches.Cols)
	for row := range kept.Rows {
		order := upTo(kept.Cols)
		slices.SortStableFunc(order, func(a, b int) int {
			return -cmp.Compare(cosines.Row(row)[a], cosines.Row(row)[b])
		})
		for at, c := range order {
			kept.Row(row)[c] = eval.Unscored
			if at < candidates {
				kept.Row(row)[c] = matches.Row(row)[c]
			}
		}
	}
	return kept
}

type emptySet struct{ datasets.Set }

func (emptySet) Name() string { return "photographs/val" }
func (emptySet) Len() int     { return 0 }

func TestEncodeEmptySet(t *testing.T) {
	_, err := eval.Subject{Set: emptySet{}}.Encode(context.Background())
	if err == nil || !strings.Contains(err.Error(), "photographs/val has no images") {
		t.Errorf("got error %v, want one that names the empty set", err)
	}
}

// A framework that this program does not know is measured by nothing.
func TestTasksOfAnUnknownFramework(t *testing.T) {
	if err := (eval.Tasks{eval.Retrieval{Rerank: 1}}).Check(nil, nil); !errors.Is(err, framework.ErrUnknown) {
		t.Errorf("got error %v", err)
	}
}
