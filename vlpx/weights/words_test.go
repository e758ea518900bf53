package weights

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/internal/test/must"
)

// vectors writes a folder with a list of words and so many vectors: 1 2, 3 4, 5 6, ...
func vectors(t *testing.T, list string, rows int) string {
	t.Helper()
	dir := filepath.Dir(write(t, map[string]tensor{wordVectors: {[]int{rows, 2}, 1}}))
	must.Do(t, os.WriteFile(filepath.Join(dir, wordList), []byte(list), 0o644))
	return dir
}

// The rows of known words get their vectors in the first columns, with the root mean square that the table's numbers there had; all else
// stays.
func TestFill(t *testing.T) {
	dir := vectors(t, "dog\ncat\nowl\n", 3)
	source := must.Get(FindWords(dir))(t)
	words := must.Get(source.ReadWords())(t)
	table := []float32{1, 1, 1, 2, 2, 2, -1, 1, 3}
	words.Fill(table, 3, func(row int) string { return []string{"dog", "zebra", "cat"}[row] })
	// The squares of the table's numbers in question are 1, 1, 1, 1: 4 in all; those of the vectors 1, 4, 9 and 16: 30.
	scale := float32(math.Sqrt(4. / 30))
	want := []float32{scale, 2 * scale, 1, 2, 2, 2, 3 * scale, 4 * scale, 3}
	for k := range want {
		if math.Abs(float64(table[k]-want[k])) > 1e-6 {
			t.Fatalf("got %v, want %v", table, want)
		}
	}
	if Words.Fill(nil, table, 3, func(int) string { return "" }); table[0] != want[0] {
		t.Error("no words changed the table")
	}
}

func TestWordsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		rows int
		want string
	}{
		"fewer words":  {"dog\n", 2, "has 1 words"},
		"more words":   {"dog\ncat\nowl\n", 2, "has 3 words"},
		"a word twice": {"dog\ndog\n", 2, "line 2"},
	} {
		source := must.Get(FindWords(vectors(t, c.list, c.rows)))(t)
		must.Fail(t, must.Err(source.ReadWords()), c.want, "%s", name)
	}
	dir := vectors(t, "dog\n", 1)
	source := must.Get(FindWords(dir))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, wordList), []byte("cat\n"), 0o644))
	must.Fail(t, must.Err(source.ReadWords()), "has changed", "another list")
	must.Do(t, os.Remove(filepath.Join(dir, wordList)))
	must.Fail(t, must.Err(FindWords(dir)), wordList, "no list")
}
