package train

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// glances are the regions of images of which each has one, with its first pixel.
type glances struct{ datasets.Set }

func (glances) Size() int { return 2 * (3 + encoder.Geometry + 1) }

func (g glances) Features(ctx context.Context, i int, out []float32) error {
	clear(out[:g.Size()])
	img, err := g.Image(ctx, i)
	if err != nil {
		return err
	}
	r, green, b, _ := img.At(0, 0).RGBA()
	copy(out, []float32{float32(r) / 65535, float32(green) / 65535, float32(b) / 65535, 0, 0, 1, 1, 1, 1, 1, 1})
	return nil
}

// glancing is a job of UNITER's with glances at a set.
func glancing(t *testing.T, set datasets.Set, m negative.Method) Job {
	t.Helper()
	job := jobOn(t, set, m)
	job.Features = glances{set}
	job.Config.Framework = framework.Choice{Framework: uniter.Model{
		Text:    encoder.BERT{Vocab: job.Tokenizer.Size(), Positions: 12, Width: 8, Heads: 2, MLP: 16, Layers: 1},
		Regions: encoder.Regions{Count: 2, Features: 3}, Margin: 0.2,
	}}
	return job
}

// An image that cannot be decoded costs its places in mini-batches and pools. What is masked, reported of items and annotated is of the
// pairs that took them.
func TestBrokenImageOfAPool(t *testing.T) {
	set := trainingSplit(t, photographs(t, 6))
	for _, stops := range [][]int{nil, {3, 6}} {
		out := finish(t, glancing(t, set, writing()), stops...)
		if len(out.Epochs) != 3 || len(out.Skipped) != 1 || !strings.Contains(out.Skipped[0], "2.jpg") ||
			out.Epochs[2].Observed.WrittenSentences().Captions != 12 {
			t.Errorf("stopped at %v: got %d epochs, skipped %q, the last of %d captions", stops, len(out.Epochs), out.Skipped,
				out.Epochs[2].Observed.WrittenSentences().Captions)
		}
	}
	replaced := 0
	job := glancing(t, set, writing())
	steps(t, job, func(tr *trainer, b *miniBatch, in field.Values, out Output) {
		for k, pair := range b.Pairs {
			if tr.pairs[pair].Image == 2 {
				t.Error("an image that cannot be decoded is in a mini-batch")
			}
			if ints(t, in, field.Items)[k] != int32(tr.pairs[pair].Image) {
				t.Errorf("pair %d is of another item", pair)
			}
			ids := job.Tokenizer.EncodeCaption(tr.pairs[pair].Text(set), job.Config.MaxLen)
			if !slices.Equal(ints(t, in, field.Captions)[k*10:(k+1)*10], ids) {
				t.Errorf("pair %d has another caption", pair)
			}
			for draft := 3 * k; draft < 3*(k+1); draft++ {
				masked, words := ints(t, in, field.Drafts)[draft*10:(draft+1)*10], ints(t, in, field.DraftWords)[draft*10:(draft+1)*10]
				for at, id := range ids {
					if words[at] == objective.Ignored && masked[at] != id || words[at] != objective.Ignored && words[at] != id {
						t.Errorf("pair %d: %v with words %v is no draft of %v", pair, masked, words, ids)
					}
				}
			}
		}
		for k, item := range ints(t, in, field.PoolItems) {
			pair := b.pool.Pairs[k]
			ids := job.Tokenizer.EncodeCaption(tr.pairs[pair].Text(set), job.Config.MaxLen)
			if item != int32(tr.pairs[pair].Image) || item == 2 || !slices.Equal(ints(t, in, field.PoolCaptions)[k*10:(k+1)*10], ids) {
				t.Errorf("pair %d of the pool is reported as another, or as one that cannot be decoded", pair)
			}
			want := make([]float32, job.Features.Size())
			if err := job.Features.Features(t.Context(), int(item), want); err != nil ||
				!slices.Equal(floats(t, in, field.PoolImages)[k*22:(k+1)*22], want) {
				t.Errorf("pair %d of the pool has another image (%v)", pair, err)
			}
		}
		if handed := tr.pool(b.at); !slices.Equal(handed, b.pool.Pairs) {
			replaced++
		}
	})
	if replaced == 0 {
		t.Error("no pool had the broken image")
	}
}

// said is a set with other captions, of no language that is known.
type said struct {
	datasets.Set
	captions [][]string
}

func (s said) Captions(i int) []string { return s.captions[i%len(s.captions)] }

// Captions of one word, of none, of more words than are read and without anything to see are written from, and the last are reported.
func TestOddCaptions(t *testing.T) {
	set := said{smallest(t, plain).Set,
		[][]string{{"dog", "of the"}, {"", "a dog runs after a man on a horse in a field of grass behind a house"},
			{"a brown dog", "what is this"}}}
	for _, how := range []func(*negative.TAGS){func(*negative.TAGS) {}, func(m *negative.TAGS) { m.ByWord = true }} {
		m := writingBy("TAGS", how)
		job := glancing(t, set, m)
		tr := steps(t, job, func(tr *trainer, b *miniBatch, in field.Values, out Output) {
			if out.strayed() != "" {
				t.Errorf("step %d: %s", tr.Step, out)
			}
			drafts, words := ints(t, in, field.Drafts), ints(t, in, field.DraftWords)
			for draft := range len(words) / 10 {
				ids := job.Tokenizer.EncodeCaption(tr.pairs[b.Pairs[draft/3]].Text(set), 10)
				end := slices.Index(ids, job.Tokenizer.SEP())
				masked := 0
				for at := range ids {
					inside := at > 0 && at < end
					if words[draft*10+at] != objective.Ignored {
						masked++
					}
					if !inside && (drafts[draft*10+at] != ids[at] || words[draft*10+at] != objective.Ignored) {
						t.Errorf("%v masks what is no word of %v", drafts[draft*10:(draft+1)*10], ids)
					}
				}
				if (masked > 0) != (end > 1) {
					t.Errorf("%d words of %v are masked", masked, ids)
				}
			}
		})
		// Two captions of six, "of the" and "", have no graph; nobody asks for one by words.
		w, graphless := tr.observed().WrittenSentences(), 0
		if !m.Writing.(negative.TAGS).ByWord {
			graphless = w.Graphless
			if graphless == 0 || graphless == w.Captions {
				t.Errorf("%d of %d captions are reported to have no graph", graphless, w.Captions)
			}
		}
		if w.Graphless != graphless || w.Written.Unknown != w.Written.All() || w.Metrics()[negative.Ungrammatic] != 0 {
			t.Errorf("got %s of captions of which nothing is known", asJSON(t, w))
		}
	}
}

// Methods that write are refused where nothing masks words or matches, and others where nothing embeds, before there is a step.
func TestWritingIsRefused(t *testing.T) {
	m := writing()
	m.Matching = negative.Hardest{}
	for says, job := range map[string]Job{
		"TAGS-DC needs the loss ITM, which CLIP": onCLIP(t, m, false), "TAGS-DC needs the loss ITM, which SimCLR": onSimCLR(t, m, false),
		"GRIT-VLP needs a contrastive loss, which UNITER": onUNITER(t, negative.GRITVLP(8, 16), 0),
		"FALCON needs a contrastive loss, which UNITER": onUNITER(t, negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5,
			Hidden: 8}), 0),
		"which needs a reference model: true": onUNITER(t, writingBy("TAGS w/ SG", func(m *negative.TAGS) { m.Static = true }), 0),
	} {
		refused(t, job, says)
		if lacking := new(framework.Lacking); strings.Contains(says, "which needs") == errors.As(job.Config.Validate(), &lacking) {
			t.Errorf("%v is another kind of error", job.Config.Validate())
		}
	}
	unseeing := onUNITER(t, writing(), 0)
	unseeing.Features = nil
	refused(t, unseeing, `UNITER reads images of 64 numbers, and what is made of one has 768`)
	other := onUNITER(t, writing(), 0)
	other.Features = glances{other.Set}
	refused(t, other, `UNITER reads images of 64 numbers, and what is made of one has 22`)
}
