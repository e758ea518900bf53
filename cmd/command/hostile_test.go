package command

import (
	"os"
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
	for _, name := range []string{"words.txt", "tokenizer.json", "bpe_simple_vocab.txt", "graphs.tsv", "w.safetensors", "a.yaml", "a.tgz",
		"a.ipynb"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	train := func(more ...string) []string { return append(shortest("train", "InfoNCE"), more...) }
	for _, args := range [][]string{
		train("-vocab", "words.txt"), train("-vocab", "tokenizer.json"), train("-framework", "clip", "-vocab", "bpe_simple_vocab.txt"),
		append(shortest("train", "TAGS"), "-framework", "uniter", "-graphs", "graphs.tsv"), train("-weights", "vision=w.safetensors"),
		{"weights", "show", "w.safetensors"}, train("-config", "a.yaml"), {"store", "import", "a.tgz"},
		{"notebook", "-run", "a.ipynb"}, {"notebook", "-no-browser", "a.ipynb"},
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

// A file of settings that is small and stands for much is refused within a bounded memory: a long value many times, mappings in mappings.
func TestConfigBombs(t *testing.T) {
	long := strings.Repeat("x", 1<<19)
	for name, c := range map[string]struct{ text, want string }{
		"a long value, many times": {"vocab: &a " + long + "\nset: [" + strings.Repeat("*a,", 20_000) + "]", "alias count"},
		"lists of lists":           {"vocab: &a [x,x,x]\ndata: &b [*a,*a,*a,*a,*a,*a]\nset: [" + strings.Repeat("*b,", 20) + "]", "alias count"},
		"a long file":              {"vocab: " + long + "\ndata: " + long + "\ndata2: " + long, "at most"},
		"deep mappings":            {"set: " + strings.Repeat("{a: ", 20_000), "KEY: VALUE"},
		"some aliases":             {"vocab: &a x\nset: {metod: *a}", "no setting"},
	} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(c.text), 0o600))
		command, _, errs := prepared(dir, "train", "-config", "a.yaml")
		must.Do(t, command.Start())
		limit := time.AfterFunc(30*time.Second, func() { command.Process.Kill() })
		command.Wait()
		limit.Stop()
		if !strings.Contains(errs.String(), c.want) || len(errs.String()) > 1<<12 {
			t.Errorf("%s: got %.300q, want %q", name, errs, c.want)
		}
	}
}
