package golden_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// querying is BLIP-2's first stage at a case's sizes, with CLIP's image encoder, as the published code has it.
func querying(c golden.Case) blip2.Model {
	at := func(name string) int { return c.Int("params", name) }
	return blip2.Model{
		Vision: encoder.ViT{Image: at("image"), Patch: at("patch"), Width: at("vision_width"), Layers: at("vision_layers"),
			Heads: at("vision_heads"),
			MLP:   4 * at("vision_width"), CLIP: true, Activation: encoder.Quick, Open: true},
		Text: encoder.QFormer{Vocab: c.Int("params", "token_ids", "dec"), Positions: at("max_position"), Queries: at("queries"),
			Width: at("width"),
			Heads: at("heads"), MLP: at("intermediate"), Layers: at("layers"), Every: at("cross_attention_freq")},
		Embed: at("embed_dim"), Smoothing: c.Float("params", "label_smoothing"), Frozen: true,
	}
}

// checkQFormerStep recomputes a training step of BLIP-2's first stage: what the encoders make, the losses with the gradients of each and of
// their sum, the update, and the scores of re-ranking.
func checkQFormerStep(t *testing.T, m machine, c golden.Case) {
	f := querying(c)
	method := negative.Method{Contrast: negative.InfoNCE{}, Matching: negative.Sampled{}}
	l := learnerOf(m, c, f, c.Int("params", "max_txt_len"), method, weights.BLIP2WithCLIP(framework.Model))
	b := l.minibatch(t, "inputs")
	l.gradientsOfEach(t, b)
	l.looks(t, b)
	l.reranks(t, b)
	store := l.store(t)
	got := l.steps(t, store)(b)
	l.losses(t, got)
	l.gradientsOfSum(t, store)
	l.after(t, store)

	// The sampler's image embedding is the query's that is most similar to the own caption.
	queries, dim := f.Text.Queries, f.Embed
	rows := func(name string) []float64 {
		x := c.Tensor("expected", "intermediate", name).Float
		return unit(golden.Tensor{Shape: []int{len(x) / dim, dim}, Float: x})
	}
	features, text := rows("image_proj"), rows("text_proj")
	read(t, c)
	m.close(t, "text_proj", got.text, text, c.Float("float32_deviation", "expected", "intermediate"))
	var nearest []float64
	for at := 0; at < len(text); at += dim {
		image, own := features[at*queries:(at+dim)*queries], text[at:at+dim]
		best := image[:dim]
		for q := dim; q < len(image); q += dim {
			if dot(image[q:q+dim], own) > dot(best, own) {
				best = image[q : q+dim]
			}
		}
		nearest = append(nearest, best...)
	}
	m.close(t, "the sampler's image embeddings", got.image, nearest, c.Float("float32_deviation", "expected", "intermediate"))
	read(t, c)
}

// looks compares what lies between the encoders and the losses.
func (l *learner) looks(t *testing.T, b minibatch) {
	t.Helper()
	f, method := l.model.(blip2.Model), l.config.Method
	names := []string{"image_embeds", "query_output", "image_proj", "text_output", "text_proj", "itm_logits", "itm_hidden", "lm_logits",
		"negative_weights_i2t", "negative_weights_t2i"}
	got := l.run(t, l.store(t), l.inputs(t, b), func(s *model.Scope, in []*Node) []*Node {
		nodes, at := l.nodes(in), func() *model.Scope { return s.At("model") }
		ids, noise := nodes["captions"], nodes["matching noise"]
		seen := f.Look(at(), nodes["image"])
		states, text := f.Read(at(), ids)
		tau := encoder.Variable(at(), ids.Graph(), encoder.Temperature)
		contrasted := method.Contrast.ITC(negative.Features{Image: seen.Feature, Text: text, Temperature: tau, Smoothing: f.Smoothing})
		pairs := method.Matching.Pairs(contrasted, noise)
		paired := Gather(ids, InsertAxes(pairs.Texts, -1))
		choice := OneHot(pairs.Images, ids.Shape().Dim(0), tau.DType())
		present := ConvertDType(GreaterThan(paired, ZerosLike(paired)), tau.DType())
		queries, texts := f.Text.Match(at().At("qformer"), paired, encoder.QueryBias(present, f.Text.Queries), seen.Tokens, choice, false)
		drawn := func(similarities *Node) *Node { return Softmax(objective.MaskDiagonal(similarities), -1) }
		return []*Node{
			seen.Tokens, seen.States, seen.Feature, states, text, objective.QueryMean(f.MatchLogits(at(), paired, seen.Tokens, choice)),
			Concatenate([]*Node{queries, texts}, 1), f.NextLogits(at(), ids, seen.Offered), drawn(contrasted.I2T), drawn(contrasted.T2I),
		}
	})
	for i, name := range names {
		want := l.c.Tensor("expected", "intermediate", name).Float
		switch name {
		case "negative_weights_i2t", "negative_weights_t2i":
			want = normalised(want, l.config.BatchSize)
		case "image_proj", "text_proj":
			want = unit(golden.Tensor{Shape: []int{len(want) / f.Embed, f.Embed}, Float: want})
		}
		l.close(t, name, got[i], want, l.c.Float("float32_deviation", "expected", "intermediate"))
	}
	read(t, l.c)
}

// reranks compares the scores of re-ranking: in float64 by the graphs of training, in float32 as a trained model is evaluated.
func (l *learner) reranks(t *testing.T, b minibatch) {
	t.Helper()
	f, store, batch := l.model.(blip2.Model), l.store(t), l.config.BatchSize
	var sims eval.Scores
	var matching func([]eval.ImageText) ([]float64, error)
	if l.dtype == dtypes.Float32 {
		n := must.Get(framework.NewInference(f, l.config.Use(), l.Backend, store))(t)
		t.Cleanup(n.Close)
		captions := tensors.MustCopyFlatData[int32](b.ids)
		images := must.Get(n.Images(tensors.MustCopyFlatData[float32](b.pixels)))(t)
		texts := must.Get(n.Texts(captions))(t)
		if !n.Adds() {
			t.Error("re-ranking does not add the similarity")
		}
		sims = eval.Similarities(images.Features, texts.Features, n.Vectors(), f.Embed)
		matching = func(pairs []eval.ImageText) ([]float64, error) {
			var states, tokens []float32
			var of []int32
			for _, p := range pairs {
				states = append(states, texts.States[p.Text*len(texts.States)/batch:(p.Text+1)*len(texts.States)/batch]...)
				tokens = append(tokens, images.States[p.Image*len(images.States)/batch:(p.Image+1)*len(images.States)/batch]...)
				of = append(of, captions[p.Text*len(captions)/batch:(p.Text+1)*len(captions)/batch]...)
			}
			logits, err := n.Match(states, of, tokens)
			return wide(logits), err
		}
	} else {
		var images, texts []int32 // of every pair
		for i := range int32(batch) {
			for j := range int32(batch) {
				images, texts = append(images, i), append(texts, j)
			}
		}
		inputs := []*tensors.Tensor{b.pixels, b.ids, tensors.FromValue(images), tensors.FromValue(texts)}
		got := l.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
			seen := f.Look(s.At("model"), in[0])
			_, text := f.Read(s.At("model"), in[1])
			ids, tokens := Gather(in[1], InsertAxes(in[3], -1)), Gather(seen.Tokens, InsertAxes(in[2], -1))
			return []*Node{objective.Cosines(seen.Feature, text), f.Match(s.At("model"), nil, ids, tokens)}
		})
		sims = eval.Scores{Rows: batch, Cols: batch, Data: got[0]}
		matching = func(pairs []eval.ImageText) (scores []float64, _ error) {
			for _, p := range pairs {
				scores = append(scores, got[1][2*(p.Image*batch+p.Text)+1])
			}
			return scores, nil
		}
	}
	i2t, t2i := must.Get2(eval.Rerank(sims, sims.Transpose(), l.c.Int("params", "k_test"), eval.Adding(sims, matching)))(t)
	l.near(t, l.c, "score_i2t", whole(i2t).Data, "score_i2t")
	l.near(t, l.c, "score_t2i", whole(t2i).Data, "score_t2i")
}

// checkEVA recomputes EVA's image encoder and its gradients.
func checkEVA(t *testing.T, m machine, c golden.Case) {
	const scope = "/vision"
	v := encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: c.Int("params", "width"),
		Layers: c.Int("params", "layers"),
		Heads:  c.Int("params", "heads"), MLP: c.Int("params", "mlp_hidden"), EVA: true, Open: true}
	store := model.NewStore()
	m.load(t, store, c, "weights", weights.EVA("", scope))
	var paths []string
	got := m.run(t, store, []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), m.value(t, c, "inputs", "cotangent")},
		func(s *model.Scope, in []*Node) []*Node {
			tokens := v.Encode(s.At("vision"), in[0], false)
			loss := ReduceAllSum(Mul(tokens, in[1]))
			var of []*Node
			paths, of = gradients(store, scope, loss)
			return append([]*Node{tokens, loss}, of...)
		})
	m.near(t, c, "tokens", got[0], "tokens")
	m.near(t, c, "loss", got[1], "loss")
	m.nearFile(t, c, "gradients", by(paths, got[2:]), weights.EVA("", scope))
}

// checkQueryMasks compares which tokens see which. Ours are hidden by another large number, of which no published one is.
func checkQueryMasks(t *testing.T, c golden.Case) {
	queries := c.Int("params", "num_query")
	inputs := []*tensors.Tensor{value(c, "inputs", "text_mask")}
	hidden := c.Tensor("expected", "itc_text").Float
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(_ *model.Scope, in []*Node) []*Node {
		return []*Node{encoder.PaddingBias(in[0]), encoder.QueryBias(in[0], queries), encoder.GenerationBias(in[0], queries)}
	})
	least := 0.0
	for _, x := range hidden {
		least = min(least, x)
	}
	for i, name := range []string{"itc_text", "itm", "itg_cached_queries"} {
		for k := range got[i] {
			got[i][k] *= least / -1e9
		}
		near(t, c, name, got[i], c.Tensor("expected", name).Float)
	}
	near(t, c, "itc_query", make([]float64, queries*len(hidden)/c.Tensor("inputs", "text_mask").Shape[1]),
		c.Tensor("expected", "itc_query").Float)

	// With queries and text in one sequence the queries see themselves, as without the text, and the text what it sees of the kept queries.
	unilm, tokens := c.Tensor("expected", "itg_unilm"), c.Tensor("inputs", "text_mask").Shape[1]
	all := queries + tokens
	read(t, c)
	for b := range unilm.Shape[0] {
		rows := unilm.Float[b*all*all : (b+1)*all*all]
		for q := range queries {
			want := make([]float64, all)
			for k := queries; k < all; k++ {
				want[k] = least
			}
			near(t, c, fmt.Sprintf("row %d of itg_unilm", q), rows[q*all:(q+1)*all], want)
		}
		near(t, c, "text of itg_unilm", got[2][b*tokens*all:(b+1)*tokens*all], rows[queries*all:])
	}
}

// checkQueryITC recomputes ITC by the nearest query, with label smoothing, where several captions may be of an image, and without gradient
// to the other side.
func checkQueryITC(t *testing.T, c golden.Case) {
	names := []string{"query_out", "text_cls", "temp"}
	var inputs []*tensors.Tensor
	for _, name := range names {
		inputs = append(inputs, value(c, "inputs", name))
	}
	items := c.Name == "qformer_itc_image_id"
	images := c.Tensor("inputs", "image_id").Shape[0]
	inputs = append(inputs, ids(c, "inputs", "image_id"))
	read(t, c)
	const smoothing = 0.1
	got := run(t, model.NewStore(), inputs, func(_ *model.Scope, in []*Node) []*Node {
		u, w := framework.Normalise(in[0]), framework.Normalise(in[1])
		z := negative.InfoNCE{Items: items}.ITC(negative.Features{Image: u, Text: w, Temperature: in[2], Smoothing: smoothing,
			Items: in[3]})
		each := Transpose(Reshape(MatMul(Reshape(u, -1, w.Shape().Dim(1)), Transpose(w, 0, 1)), images, -1, images), 1, 2)
		drawn := func(similarities *Node) *Node { return Softmax(objective.MaskDiagonal(similarities), -1) }
		out := withGradients(z.Loss, in[:3], each, objective.Cosines(u, w), drawn(z.I2T), drawn(z.T2I))

		targets := objective.OneHotTargets(z.I2T)
		if items {
			targets = objective.Positives(in[3], in[3], u.DType())
		}
		targets = objective.Smoothed(targets, smoothing)
		kept := objective.ITC(objective.Similarities(u, StopGradient(w), in[2]), objective.Similarities(w, StopGradient(u), in[2]),
			targets, targets)
		return append(out, Gradient(kept, in[:3]...)...)
	})
	near(t, c, "loss_itc", got[0], c.Tensor("expected", "loss_itc").Float)
	near(t, c, "sim_q2t", got[1], c.Tensor("expected", "sim_q2t").Float)
	near(t, c, "sim_i2t_max", got[2], c.Tensor("expected", "sim_i2t_max").Float)
	for i, name := range []string{"neg_sampling_weights_i2t", "neg_sampling_weights_t2i"} {
		near(t, c, name, got[3+i], normalised(c.Tensor("expected", name).Float, images))
	}
	for i, name := range names {
		near(t, c, name+" gradient", got[5+i], c.Tensor("expected", "grad", name).Float)
		near(t, c, name+" gradient without keys", got[8+i], c.Tensor("expected", "grad_if_gathered_keys_detached", name).Float)
	}
	read(t, c)
}

// checkQueryITM recomputes ITM of the mean over the queries, which pairs it sees, and what ITG reads and predicts of the same captions.
func checkQueryITM(t *testing.T, c golden.Case) {
	names := []string{"itm_query_states", "itm_weight", "itm_bias"}
	var inputs []*tensors.Tensor
	for _, name := range names {
		inputs = append(inputs, value(c, "inputs", name))
	}
	images, texts := c.Ints("params", "neg_image_for_text"), c.Ints("params", "neg_text_for_image")
	batch := len(images)
	inputs = append(inputs, tensors.FromFlatDataAndDimensions(decisive(images, texts), 2, batch, batch))
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(_ *model.Scope, in []*Node) []*Node {
		alike := Zeros(in[0].Graph(), in[3].Shape()) // the draws are given
		alike = Squeeze(Slice(alike, AxisRange(0, 1)), 0)
		pairs := negative.Sampled{}.Pairs(negative.Contrasted{I2T: alike, T2I: alike}, in[3])
		logits := objective.QueryMean(Add(encoder.MatMulRows(in[0], Transpose(in[1], 0, 1), false), ExpandLeftToRank(in[2], 3)))
		float := func(x *Node) *Node { return ConvertDType(x, in[0].DType()) }
		return withGradients(objective.ITM(logits, pairs.Labels, nil), in[:3], logits, float(pairs.Labels),
			Stack([]*Node{float(pairs.Images), float(pairs.Texts)}, 1))
	})
	near(t, c, "loss_itm", got[0], c.Tensor("expected", "loss_itm").Float)
	for i, name := range []string{"itm_logits", "itm_labels", "pairs_image_text"} {
		near(t, c, name, got[1+i], c.Tensor("expected", name).Float)
	}
	for i, name := range names {
		near(t, c, name+" gradient", got[4+i], c.Tensor("expected", "grad", name).Float)
	}
	read(t, c)
}

// checkGeneration recomputes ITG of given logits.
func checkGeneration(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "logits"), ids(c, "inputs", "labels")}
	smoothing := c.Float("params", "label_smoothing")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(_ *model.Scope, in []*Node) []*Node {
		return withGradients(objective.Generation(in[0], in[1], smoothing), in[:1])
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "logits gradient", got[1], c.Tensor("expected", "grad", "logits").Float)
	read(t, c)
}
