package golden_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// checkALBEFStep recomputes a training step of ALBEF and the next: losses, gradients, momentum weights, queues, the update.
func checkALBEFStep(t *testing.T, m machine, c golden.Case) {
	method := negative.ALBEF(0)
	method.Contrast = negative.Distilled{Alpha: c.Float("params", "alpha"), Decay: c.Float("params", "momentum"),
		Queue: c.Int("params", "queue_size")}
	l := newLearner(m, c, method, weights.ALBEF(framework.Model), weights.ALBEFMomentum(framework.Momentum), weights.Queues)
	l.prepare = l.queues
	l.gradientsOfEach(t, l.minibatch(t, "inputs", "steps", "0"))
	store := l.store(t)
	step := l.steps(t, store)
	for k := range c.Len("expected", "steps") {
		at := []string{"steps", strconv.Itoa(k)}
		got := step(l.minibatch(t, append([]string{"inputs"}, at...)...))
		l.losses(t, got, at...)
		l.queued(t, store, at...)
		if k == 0 {
			for name, u := range map[string][]float64{"image_proj": got.image, "text_proj": got.text} {
				want := unit(c.Tensor("expected", "steps", "0", "intermediate", name))
				m.close(t, name, u, want, c.Float("float32_deviation", "expected", "steps"))
			}
			l.gradientsOfSum(t, store)
			m.nearFile(t, c, "momentum", l.variables(t, store, "", framework.Momentum), l.tables...)
			l.after(t, store)
		}
	}
}

// checkGRITStep recomputes a training step of GRIT-VLP and the next. Its negatives are not drawn: they are expected, too.
func checkGRITStep(t *testing.T, m machine, c golden.Case) {
	l := newLearner(m, c, negative.GRITVLP(0, 0), weights.ALBEF(framework.Model))
	l.gradientsOfEach(t, l.minibatch(t, "inputs", "steps", "0"))
	store := l.store(t)
	step := l.steps(t, store)
	for k := range c.Len("expected", "steps") {
		k := strconv.Itoa(k)
		got := step(l.minibatch(t, "inputs", "steps", k))
		l.losses(t, got, "steps", k)
		m.near(t, c, "image_feat", got.image, "steps", k, "intermediate", "image_feat")
		m.near(t, c, "text_feat", got.text, "steps", k, "intermediate", "text_feat")
		same(t, "negative_image_of_text", got.hardestImages, c.Ints("expected", "steps", k, "intermediate", "negative_image_of_text"))
		same(t, "negative_text_of_image", got.hardestTexts, c.Ints("expected", "steps", k, "intermediate", "negative_text_of_image"))
		if k == "0" {
			l.gradientsOfSum(t, store)
			l.after(t, store)
		}
	}
	read(t, c)
}

// checkRetrievalStep recomputes a step of ALBEF's retrieval fine-tuning, in which captions of one image share their target.
func checkRetrievalStep(t *testing.T, m machine, c golden.Case) {
	l := newRetrievalLearner(m, c, retrievalTuning(c))
	store := l.store(t)
	l.losses(t, l.steps(t, store)(l.minibatch(t, "inputs")))
	l.queued(t, store)
	l.gradientsOfSum(t, store)
	m.nearFile(t, c, "momentum", l.variables(t, store, "", framework.Momentum), l.tables...)
	read(t, c)
}

// newRetrievalLearner fine-tunes for retrieval: without MLM and its head, and with a temperature that has no bounds.
func newRetrievalLearner(m machine, c golden.Case, method negative.Method) *learner {
	a := published(c)
	a.FreeTemperature = true
	l := learnerOf(m, c, a, c.Int("params", "tokens"), method, weights.Retrieval(framework.Model),
		weights.RetrievalMomentum(framework.Momentum), weights.Queues)
	l.config.Objectives = negative.Of(negative.ITC, negative.ITM)
	l.prepare = func(t *testing.T, store *model.Store) {
		l.queues(t, store)
		l.without(t, store, framework.Model, "/text/mlm")
	}
	return l
}

// retrievalTuning is the method of ALBEF's retrieval fine-tuning; its targets are the captions of the image alone where the case
// does not distil.
func retrievalTuning(c golden.Case) negative.Method {
	alpha := 0.0
	if c.Bool("params", "distill") {
		alpha = c.Float("params", "alpha")
	}
	return negative.Method{Contrast: negative.Distilled{Alpha: alpha, Decay: c.Float("params", "momentum"),
		Queue: c.Int("params", "queue_size"), Items: true},
		Matching: negative.Sampled{}}
}

// without gives parts of the model below a root, which the published one does not have and the case does not use, values of zero.
func (l *learner) without(t *testing.T, store *model.Store, root string, parts ...string) {
	t.Helper()
	whole := model.NewStore()
	must.Do(t, framework.Declare(l.model, l.config.Use(), l.Backend, whole))
	for _, part := range parts {
		for v := range whole.Scope(framework.Model + part).IterVariables() {
			zero := tensors.FromShape(shapes.Make(l.dtype, v.Shape().Dimensions...))
			must.Get(store.CreateVariable(root+strings.TrimPrefix(v.Path(), framework.Model), zero))(t)
		}
	}
}

// checkMAFAStep recomputes a training step of MAFA with a given Con-D, in epoch 0, whose targets are not smoothed, and in epoch 1.
func checkMAFAStep(t *testing.T, m machine, c golden.Case) {
	method := negative.MAFA(0, 0)
	method.Positives = negative.ECM{Low: c.Float("params", "low"), High: c.Float("params", "high")}
	l := newLearner(m, c, method, weights.ALBEF(framework.Model))
	l.prepare = func(t *testing.T, store *model.Store) {
		l.load(t, store, c, "con_d", weights.Retrieval(framework.Frozen))
		l.without(t, store, framework.Frozen, "/vision_projection", "/text_projection") // Con-D is asked for matches alone
		for v := range store.Scope(framework.Frozen).IterVariables() {
			v.SetTrainable(false)
		}
	}
	store := l.store(t)
	step := l.steps(t, store)
	for progress, epoch := range []string{"epoch0", "epoch1"} {
		b := l.minibatch(t, "inputs")
		b.progress = float64(progress)
		b.masked, b.labels, b.fresh = l.enlarged(t, b)
		l.forget(t, store)
		got := step(b)
		l.losses(t, got, epoch)
		m.near(t, c, "image_feat", got.image, "intermediate", "image_feat")
		m.near(t, c, "text_feat", got.text, "intermediate", "text_feat")
		same(t, "hardest_image_of_text", got.hardestImages, c.Ints("expected", "intermediate", "hardest_image_of_text"))
		same(t, "hardest_text_of_image", got.hardestTexts, c.Ints("expected", "intermediate", "hardest_text_of_image"))
		for name, scores := range map[string][]float64{"con_d_score_text_side": got.imageScores, "con_d_score_image_side": got.textScores} {
			m.near(t, c, name, scores, "intermediate", name)
		}
		if epoch == "epoch1" { // the gradients are this one's
			l.gradientsOfSum(t, store)
		}
	}
	read(t, c)
}

// enlarged takes MLM's rows of a mini-batch of MAFA's apart: its own, and those of the new positives as codes of the masks that each
// side's picks would get. The images whose hardest text is a new positive come first, then the texts.
func (l *learner) enlarged(t *testing.T, b minibatch) (masked, labels, codes *tensors.Tensor) {
	t.Helper()
	batch, tokens, high := l.config.BatchSize, l.config.MaxLen, l.c.Float("params", "high")
	scores := append(l.c.Tensor("expected", "intermediate", "con_d_score_image_side").Float,
		l.c.Tensor("expected", "intermediate", "con_d_score_text_side").Float...)
	source, ids, predicted := l.c.Ints("expected", "intermediate", "mlm_source_ids"), l.c.Ints("inputs", "mlm_input_ids"),
		l.c.Ints("inputs", "mlm_labels")
	read(t, l.c)
	of := make([]int32, 2*batch*tokens)
	row := batch
	for k, score := range scores {
		for i := range tokens {
			at := &of[k*tokens+i]
			*at = -1
			if score <= high || predicted[row*tokens+i] == objective.Ignored {
				continue
			}
			if *at = int32(ids[row*tokens+i]); ids[row*tokens+i] == source[row*tokens+i] {
				*at = -2
			}
		}
		if score > high {
			row++
		}
	}
	if row*tokens != len(ids) {
		t.Fatalf("got %d rows of MLM, want %d", row, len(ids)/tokens)
	}
	first := func(x []int) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(int32s(x[:batch*tokens]), batch, tokens)
	}
	return first(ids), first(predicted), tensors.FromFlatDataAndDimensions(of, 2*batch, tokens)
}

// unit are the rows of a matrix divided by their lengths.
func unit(x golden.Tensor) []float64 {
	var rows []float64
	for at := 0; at < len(x.Float); at += x.Shape[1] {
		row := x.Float[at : at+x.Shape[1]]
		for _, v := range row {
			rows = append(rows, v/math.Sqrt(dot(row, row)))
		}
	}
	return rows
}
