package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
)

// CLIP's vocabulary has no token for masked words.
func TestVocabularyWithoutMask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bpe_simple_vocab_16e6.txt")
	must.Do(t, os.WriteFile(path, []byte("#version: 0.2\n"), 0o644))
	job := smallest(t, plain)
	var err error
	if job.Tokenizer, err = text.FromMerges(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Train(t.Context(), job); err == nil || !strings.Contains(err.Error(), "no token that masks a word") {
		t.Errorf("got %v, want an error that says what is lacking", err)
	}
}
