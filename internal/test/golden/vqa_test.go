package golden_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// checkAnswerLoss recomputes the loss of weighted answers. The case marks padding in its labels and ours is id 0: words move up by one,
// behind a word that has no probability.
func checkAnswerLoss(t *testing.T, c golden.Case) {
	labels := c.Tensor("inputs", "labels")
	ids := int32s(c.Ints("inputs", "labels"))
	for k := range ids {
		ids[k] = max(ids[k], -1) + 1
	}
	inputs := []*tensors.Tensor{value(c, "inputs", "logits"), tensors.FromFlatDataAndDimensions(ids, labels.Shape...),
		value(c, "inputs", "weights")}
	distils := c.Bool("params", "distill")
	if distils {
		inputs = append(inputs, value(c, "inputs", "logits_m"))
	}
	alpha, questions := c.Float("params", "alpha"), c.Int("params", "num_questions")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		moved := func(logits *Node) *Node {
			logits = Slice(logits, AxisRange(), AxisRange(0, logits.Shape().Dim(1)-1))
			return GrowLeft(logits, 2, 1, -1e9)
		}
		nats := objective.AnswerNats(in[1], moved(in[0]))
		if distils {
			nats = objective.DistilledAnswerNats(in[1], moved(in[0]), moved(in[3]), ConstAs(in[0], alpha))
		}
		return withGradients(objective.Answers(nats, in[2], questions), in[:1], nats)
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "loss of each answer", got[1], c.Tensor("expected", "per_answer_loss").Float)
	near(t, c, "gradient", got[2], c.Tensor("expected", "grad", "logits").Float)
	read(t, c)
}

// checkRankAnswer recomputes which answers are ranked, and how. Of answers with the same first word nobody knows which the published code
// takes where there is no room for all (torch.topk does not say): those that it took are ranked, if they are as probable as ours.
func checkRankAnswer(t *testing.T, c golden.Case) {
	k := c.Int("params", "k")
	var words []int32
	for _, answer := range c.Matrix("inputs", "answer_ids") {
		words = append(words, int32(answer[1]))
	}
	first, nats := c.Matrix("inputs", "first_token_logits"), c.Matrix("inputs", "answer_nll")
	candidates, probabilities := c.Matrix("expected", "topk_ids"), c.Matrix("expected", "topk_probs")
	read(t, c)
	for q := range first {
		_, logs := framework.Likeliest(first[q], words, k)
		all, of := framework.Likeliest(first[q], words, len(words))
		var taken []int
		var takenLogs, likelihoods []float64
		for place, candidate := range all {
			if slices.Contains(candidates[q], float64(candidate)) {
				taken, takenLogs = append(taken, candidate), append(takenLogs, of[place])
				likelihoods = append(likelihoods, -nats[q][candidate])
			}
		}
		if !slices.Equal(logs, takenLogs) {
			t.Errorf("question %d: got first words of the log-probabilities %v, want %v", q, logs, takenLogs)
		}
		compareRanked(t, q, framework.Reranked(taken, takenLogs, likelihoods), candidates[q], probabilities[q], c.Tolerance)
	}
}

// compareRanked compares the ranked answers of a question with the expected ones.
func compareRanked(t *testing.T, question int, ranked []framework.RankedAnswer, candidates, probabilities []float64, within float64) {
	t.Helper()
	var got, of []float64
	for _, r := range ranked {
		got, of = append(got, float64(r.Candidate)), append(of, r.Probability)
	}
	if !slices.Equal(got, candidates) || len(of) != len(probabilities) {
		t.Errorf("question %d: got the answers %v, want %v", question, got, candidates)
		return
	}
	for k, want := range probabilities {
		if !(math.Abs(of[k]-want) <= within) {
			t.Errorf("question %d: got the probabilities %v, want %v", question, of, probabilities)
			return
		}
	}
}

// vqaLearner fine-tunes a published model for visual question answering.
func vqaLearner(m machine, c golden.Case) (*learner, albef.Answering) {
	method := negative.Plain()
	if c.Bool("params", "distill") {
		method.Contrast = negative.Distilled{Alpha: c.Float("params", "alpha"), Decay: c.Float("params", "momentum")}
	}
	most := slices.Max(c.Ints("params", "answers"))
	l := &learner{machine: m, c: c, prepare: func(*testing.T, *model.Store) {},
		tables: []weights.Table{weights.VQA(framework.Model), weights.VQAMomentum(framework.Momentum)}}
	width, heads := c.Int("params", "width"), c.Int("params", "heads")
	a := albef.Answering{
		ALBEF: albef.Model{
			Vision: encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: width,
				Layers: c.Int("params", "vision_layers"),
				Heads:  heads, MLP: width * c.Int("params", "mlp_ratio")},
			Text: encoder.BERT{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "max_position"), Width: width, Heads: heads,
				MLP: c.Int("params", "intermediate"), Layers: c.Int("params", "text_layers"), Fusion: c.Int("params", "fusion_layers")},
			Embed: 1,
		},
		Layers: c.Int("params", "decoder_layers"), Answers: most, Tokens: c.Int("params", "answer_tokens"),
	}
	l.config.Framework.Framework, l.config.Method = a, method
	l.config.BatchSize, l.config.MaxLen, l.config.Transform.Size = c.Int("params", "batch"), c.Int("params", "tokens"), a.ALBEF.Vision.Image
	return l, a
}

// checkVQAStep recomputes a step of ALBEF's visual question answering, with or without a momentum model: loss, logits, gradients, the
// momentum weights, and the ranks of answers afterwards.
func checkVQAStep(t *testing.T, m machine, c golden.Case) {
	l, a := vqaLearner(m, c)
	batch, most, tokens := l.config.BatchSize, a.Answers, a.Tokens
	each, published := c.Ints("params", "answers"), c.Ints("inputs", "answer_ids")
	given := c.Tensor("inputs", "weights").Float
	answers, shares := make([]int32, batch*most*tokens), make([]float64, batch*most)
	var places []int // of the published answers among ours
	for q := range batch {
		for j := range each[q] {
			row := len(places)
			copy(answers[(q*most+j)*tokens:], int32s(published[row*tokens:(row+1)*tokens]))
			shares[q*most+j], places = given[row], append(places, q*most+j)
		}
	}
	read(t, c)
	pixels, questions := m.pixels(t, c, "inputs", "pixels"), ids(c, "inputs", "question_ids")
	inputs := []*tensors.Tensor{pixels, questions, tensors.FromFlatDataAndDimensions(answers, batch, most, tokens),
		m.tensor(t, tensors.FromFlatDataAndDimensions(shares, batch, most)), m.tensor(t, tensors.FromScalar(1.0))}
	store := l.storeOf(t)
	must.Do(t, framework.Declare(a, l.config.Use(), m.Backend, store))
	must.Do(t, weights.Missing(store, framework.Model))
	var paths []string
	got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		told := a.Step(s, l.config.Use(), field.Nodes{field.Image: in[0], field.Captions: in[1], field.Answers: in[2],
			field.AnswerWeights: in[3],
			field.Progress:      in[4]})
		loss := told.Losses[negative.Answers]
		var of []*Node
		paths, of = gradients(store, framework.Model, loss)
		scope := func() *model.Scope { return s.Store().Scope(framework.Model) }
		states, first := a.Question(scope(), in[1], in[0])
		return append([]*Node{loss, states, first, a.Answer(scope(), states, in[1], in[2])}, of...)
	})
	m.near(t, c, "loss", got[0], "loss")
	m.near(t, c, "states of questions", got[1], "intermediate", "question_states")
	logits := c.Tensor("expected", "intermediate", "answer_logits")
	vocabulary := logits.Shape[2]
	row := 0
	for q, n := range each {
		m.close(t, "logits of the first word", got[2][q*vocabulary:(q+1)*vocabulary], logits.Float[row*tokens*vocabulary:][:vocabulary],
			c.Float("float32_deviation", "expected", "intermediate"))
		row += n
	}
	if !c.Bool("params", "distill") { // else these are mixed with the momentum model's
		var nats []float64
		for _, place := range places {
			nats = append(nats, -got[3][place])
		}
		m.near(t, c, "loss of each answer", nats, "intermediate", "answer_losses")
	}
	m.nearFile(t, c, "gradients", by(paths, got[4:]), l.tables...)
	if c.Bool("params", "distill") {
		m.nearFile(t, c, "momentum", l.variables(t, store, "", framework.Momentum), l.tables...)
	}
	l.ranked(t, a, store, pixels, questions)
	read(t, c)
}

// storeOf is a new one with the published weights, of which the case's momentum copy is left out where nothing is distilled.
func (l *learner) storeOf(t *testing.T) *model.Store {
	t.Helper()
	store := model.NewStore()
	l.load(t, store, l.c, "weights", l.tables...)
	return store
}

// ranked compares how the model ranks a case's candidate answers.
func (l *learner) ranked(t *testing.T, a albef.Answering, store *model.Store, pixels, questions *tensors.Tensor) {
	t.Helper()
	c, k := l.c, l.c.Int("params", "rank_k")
	candidates := int32s(c.Ints("inputs", "candidate_ids"))
	n, batch := len(candidates)/a.Tokens, l.config.BatchSize
	var all []int32
	for range batch {
		all = append(all, candidates...)
	}
	var words []int32
	for at := 1; at < len(candidates); at += a.Tokens {
		words = append(words, candidates[at])
	}
	got := l.run(t, store, []*tensors.Tensor{pixels, questions, tensors.FromFlatDataAndDimensions(all, batch, n, a.Tokens)},
		func(s *model.Scope, in []*Node) []*Node {
			scope := func() *model.Scope { return s.Store().Scope(framework.Model) }
			states, first := a.Question(scope(), in[1], in[0])
			return []*Node{first, a.Answer(scope(), states, in[1], in[2])}
		})
	want, probabilities := c.Matrix("expected", "rank_ids"), c.Matrix("expected", "rank_probabilities")
	within := exact
	if l.dtype.Size() == 4 {
		within = rounding*c.Float("float32_deviation", "expected", "rank_probabilities") + 1e-6
	}
	read(t, c)
	for q := range batch {
		vocabulary := len(got[0]) / batch
		best, logs := framework.Likeliest(got[0][q*vocabulary:(q+1)*vocabulary], words, k)
		var likelihoods []float64
		for _, candidate := range best {
			likelihoods = append(likelihoods, got[1][q*n+candidate])
		}
		compareRanked(t, q, framework.Reranked(best, logs, likelihoods), want[q], probabilities[q], within)
	}
	if l.dtype.Size() != 4 {
		return
	}
	// In float32 the whole of it, as evaluation asks it.
	inference := must.Get(framework.NewInference(a, l.config.Use(), l.Backend, store))(t)
	defer inference.Close()
	ranked := must.Get(inference.Rank(tensors.MustCopyFlatData[int32](questions), tensors.MustCopyFlatData[float32](pixels),
		candidates, k))(t)
	for q := range batch {
		compareRanked(t, q, ranked[q], want[q], probabilities[q], within)
	}
}
