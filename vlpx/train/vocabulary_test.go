package train

import (
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
)

// CLIP's vocabulary has no token for masked words.
func TestVocabularyWithoutMask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bpe_simple_vocab_16e6.txt")
	must.Do(t, os.WriteFile(path, []byte("#version: 0.2\n"), 0o644))
	job := smallest(t, plain)
	job.Tokenizer = must.Get(text.FromMerges(path))(t)
	must.Fail(t, must.Err2(Train(t.Context(), job)), "no token that masks a word")
}
