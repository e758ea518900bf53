package command

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// Whatever file a flag names, a pipe in its place is refused by its name within seconds instead of being waited for.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"words.txt", "tokenizer.json", "bpe_simple_vocab.txt", "graphs.tsv", "w.safetensors", "a.yaml", "a.tgz"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	train := func(more ...string) []string { return append(shortest("train", "InfoNCE"), more...) }
	for _, args := range [][]string{
		train("-vocab", "words.txt"), train("-vocab", "tokenizer.json"), train("-framework", "clip", "-vocab", "bpe_simple_vocab.txt"),
		append(shortest("train", "TAGS"), "-framework", "uniter", "-graphs", "graphs.tsv"), train("-weights", "vision=w.safetensors"),
		{"weights", "show", "w.safetensors"}, train("-config", "a.yaml"), {"store", "import", "a.tgz"},
	} {
		began := time.Now()
		c, _, errs := prepared(dir, args...)
		must.Do(t, c.Start())
		limit := time.AfterFunc(30*time.Second, func() { c.Process.Kill() })
		c.Wait()
		limit.Stop()
		if !strings.Contains(errs.String(), "no regular file") {
			t.Errorf("%q: after %v: %q, want an error that it is no regular file", args, time.Since(began), errs)
		}
	}
}

// Settings that make sense one by one and not together are refused before they take memory.
func TestAbsurdTogether(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"train InfoNCE -set width=65536", "this machine has"},
		{"train ALBEF -set momentumqueue=16777216 -set embed=65536", "take 8192 pairs at most"},
		{"train FALCON -set falcon.hidden=65536 -set falcon.blocks=1000", "take fewer"},
		{"train InfoNCE -set scenes.train=10000000 -set scenes.captions=1000", "10000000000 captions"},
	} {
		_, errs, status := executed(t, dir, append(strings.Fields(c.args), "-scale", "tiny", "-seeds", "1")...)
		if status != 1 || !strings.Contains(errs, c.want) || strings.Contains(errs, "goroutine") {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, errs, c.want)
		}
	}
}
