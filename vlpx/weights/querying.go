package weights

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/vlpx/encoder"
)

// QueryingTransformer reads a BERT for a Q-Former: its variables below the scope in float32. Either feed-forward of a layer is BERT's,
// [DEC] begins as the mean of all words with a bias of 0, and token types are left out. Cross-attention and the queries are drawn, and so
// is the head for ITG where the file has none for masked words.
func (s Source) QueryingTransformer(q encoder.QFormer, scope string) (Values, Report, error) {
	bert := encoder.BERT{Vocab: q.Vocab, Positions: q.Positions, Width: q.Width, Heads: q.Heads, MLP: q.MLP, Fusion: q.Layers}
	values, report, err := s.TextEncoder(bert, scope)
	if err != nil {
		return nil, report, err
	}
	delete(values, scope+"/embeddings/segment/"+encoder.Embedding)
	for _, path := range slices.Collect(maps.Keys(values)) {
		if strings.Contains(path, "/mlp/") {
			values[strings.Replace(path, "/mlp/", "/query_mlp/", 1)] = values[path]
		}
	}
	words, bias := scope+"/embeddings/word/"+encoder.Embedding, scope+"/mlm/decoder/"+encoder.Bias
	table, err := tensors.CopyFlatData[float32](values[words])
	if err != nil {
		return nil, report, fmt.Errorf("weights: %s: variable %s: %w", s.Path, words, err)
	}
	begin := make([]float32, q.Width)
	for i, x := range table {
		begin[i%q.Width] += x / float32(q.Vocab)
	}
	values[words] = tensors.FromFlatDataAndDimensions(append(table, begin...), q.Words(), q.Width)
	if values[bias] != nil {
		of, err := tensors.CopyFlatData[float32](values[bias])
		if err != nil {
			return nil, report, fmt.Errorf("weights: %s: variable %s: %w", s.Path, bias, err)
		}
		values[bias] = tensors.FromFlatDataAndDimensions(append(of, 0), q.Words())
	}
	report.Drawn = slices.DeleteFunc(report.Drawn, func(path string) bool {
		return strings.Contains(path, "/cross/") &&
			!sees(q, scope, path)
	})
	report.Notes = append(report.Notes, "[DEC] begins as the mean of all words, and each layer's two feed-forwards as BERT's one")
	values, err = values.as(dtypes.Float32)
	return values, report, err
}

// sees tells whether the Q-Former has a layer's variable of cross-attention.
func sees(q encoder.QFormer, scope, path string) bool {
	for layer := 0; layer < q.Layers; layer += q.Every {
		if strings.HasPrefix(path, fmt.Sprintf("%s/layer_%d/cross/", scope, layer)) {
			return true
		}
	}
	return false
}
