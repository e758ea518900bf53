package weights

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets/content"
)

// Words are vectors of words learned from text alone, such as GloVe's (Pennington et al., 2014).
type Words map[string][]float32

// Files of a folder with vectors of words: row i of the tensor "vectors" is that of line i of the list.
const (
	wordList    = "words.txt"
	wordVectors = "vectors"
)

// FindWords finds vectors of words by the folder that has them: words.txt, a word a line, and one safetensors file with a tensor
// "vectors", [words, width].
func FindWords(dir string) (Source, error) {
	source, err := Find(dir)
	if err != nil {
		return Source{}, err
	}
	list, err := contentHash(filepath.Join(filepath.Dir(source.Path), wordList))
	if errors.Is(err, fs.ErrNotExist) {
		return Source{}, fmt.Errorf("weights: %s has no %s, which says whose the vectors are", dir, wordList)
	}
	if err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	sum := sha256.Sum256([]byte(source.Hash + list))
	source.Hash = hex.EncodeToString(sum[:8])
	return source, nil
}

// ReadWords reads the vectors of a source that FindWords gave.
func (s Source) ReadWords() (Words, error) {
	now, err := FindWords(filepath.Dir(s.Path))
	if err != nil {
		return nil, err
	}
	if now.Hash != s.Hash {
		return nil, fmt.Errorf("weights: %s has changed since it was described; ask again", filepath.Dir(s.Path))
	}
	f, err := Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := f.Tensor(wordVectors)
	if err == nil {
		t, err = As(t, dtypes.Float32)
	}
	if err != nil {
		return nil, fmt.Errorf("weights: %s: %w", s.Path, err)
	}
	if t.Rank() != 2 {
		return nil, fmt.Errorf("weights: %s: tensor %s has the shape %s; want [words, width]", s.Path, wordVectors, t.Shape())
	}
	numbers, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(s.Path), wordList)
	list, err := content.Regular(path)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	defer list.Close()
	words, rows, width := Words{}, t.Shape().Dim(0), t.Shape().Dim(1)
	lines := bufio.NewScanner(list)
	n := 0
	for ; lines.Scan(); n++ {
		if _, twice := words[lines.Text()]; twice {
			return nil, fmt.Errorf("weights: %s: line %d: %q is there twice", path, n+1, lines.Text())
		}
		if n < rows {
			words[lines.Text()] = numbers[n*width : (n+1)*width]
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("weights: %s: line %d: %w", path, n+1, err)
	}
	if n != rows {
		return nil, fmt.Errorf("weights: %s has %d words, %s %d vectors; they belong together, fetch both again", path, n, s.Path, rows)
	}
	return words, nil
}

// Fill gives the first columns of an embedding table, [words, width], the vectors of its words, brought to the spread of the table's own
// numbers; the remaining columns, and the rows of words without a vector, stay.
//
//   - word: of each row.
func (w Words) Fill(table []float32, width int, word func(row int) string) {
	var square, own float64
	columns := 0
	for row := range len(table) / width {
		vector, ok := w[word(row)]
		if !ok {
			continue
		}
		columns = min(width, len(vector))
		for d := range columns {
			square += float64(vector[d]) * float64(vector[d])
			own += float64(table[row*width+d]) * float64(table[row*width+d])
		}
	}
	if square == 0 {
		return
	}
	scale := float32(math.Sqrt(own / square))
	for row := range len(table) / width {
		for d, x := range w[word(row)][:min(columns, len(w[word(row)]))] {
			table[row*width+d] = scale * x
		}
	}
}
