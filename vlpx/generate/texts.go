package generate

import (
	"context"
	"fmt"
	"slices"

	"vlpx.internal/vlpx/framework"
)

// Request is what texts are asked of.
type Request struct {
	Images  []float32 // as field.Image, an image for each prompt; none where the model sees none
	Prompts [][]int32 // ids, a token each at least, such as [CLS]
	// Tokens is the length to which prompts are padded, so that requests of other lengths have the same graph; 0 for that of the longest.
	Tokens int
	End    int32 // the id that ends a text, such as [SEP]
}

// Texts finds a text behind each prompt of a request by a trained model, whose framework is a [framework.Generates]. Graphs are compiled
// once a number of prompts, so callers keep theirs.
func Texts(ctx context.Context, m *framework.Inference, s Search, r Request) ([]Text, error) {
	writer, can := m.Framework().(framework.Generates)
	if !can {
		return nil, fmt.Errorf("generate: %s writes no texts; take one that does, such as BLIP-2 with a language model",
			m.Framework().Name())
	}
	tokens, longest := r.Tokens, 0
	for k, prompt := range r.Prompts {
		if len(prompt) == 0 || prompt[len(prompt)-1] == 0 {
			return nil, fmt.Errorf("generate: prompt %d is empty or ends in padding; give it its tokens alone, such as [CLS]", k)
		}
		longest = max(longest, len(prompt))
	}
	if tokens == 0 {
		tokens = longest
	}
	if longest > tokens {
		return nil, fmt.Errorf("generate: a prompt of %d tokens where there are places for %d", longest, tokens)
	}
	if len(r.Prompts) == 0 {
		return nil, s.Check()
	}
	w := &writing{model: m, beams: s.Beams, room: s.Max, texts: len(r.Prompts), tokens: tokens, vocabulary: writer.Vocabulary(),
		images: r.Images}
	defer w.close()
	return s.Run(ctx, Language{Vocabulary: w.vocabulary, End: r.End}, r.Prompts, w.next)
}

// writing gives a search its logits by a model that keeps what it has read.
type writing struct {
	model                                  *framework.Inference
	beams, room, texts, tokens, vocabulary int
	images                                 []float32
	going                                  *framework.Generation
}

// next implements Next. Rows that have ended leave theirs to repetitions of others, so that all steps but the first are one graph.
func (w *writing) next(_ context.Context, rows []Row) (_ [][]float32, err error) {
	var logits []float32
	if w.going == nil {
		prompts := make([]int32, len(rows)*w.tokens)
		for r, row := range rows {
			copy(prompts[r*w.tokens:], row.IDs)
		}
		w.going, logits, err = w.model.Generate(w.images, prompts, w.tokens, w.room)
	} else {
		from, tokens := make([]int32, w.texts*w.beams), make([]int32, w.texts*w.beams)
		for k := range from {
			row := rows[min(k, len(rows)-1)]
			from[k], tokens[k] = int32(row.From), row.IDs[len(row.IDs)-1]
		}
		logits, err = w.going.Next(from, tokens)
	}
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(logits[:len(rows)*w.vocabulary], w.vocabulary)), nil
}

func (w *writing) close() {
	if w.going != nil {
		w.going.Close()
	}
}
