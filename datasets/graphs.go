package datasets

import (
	"fmt"
	"strings"
	"unicode"

	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/datasets/text"
)

// WithGraphs is a set whose captions have the scene graphs of a file (see [scenegraph.ReadFile]), as other parsers or people made them; a
// caption without one there is parsed. Captions are compared by their words, whatever their case and punctuation. A file that has none of
// the set's captions is an error.
func WithGraphs(s Set, file string) (Set, error) {
	read, err := scenegraph.ReadFile(file)
	if err != nil {
		return nil, err
	}
	g := graphed{s, map[string]string{}}
	for _, one := range read {
		g.texts[wordsOf(one.Caption)] = one.Text
	}
	for i := range s.Len() {
		for _, caption := range s.Captions(i) {
			if _, has := g.texts[wordsOf(caption)]; has {
				var relation relating
				if related, ok := s.(Related); ok {
					relation = related
				}
				return carry(withGraphs{g}, relation, s), nil
			}
		}
	}
	return nil, fmt.Errorf("datasets: %s: of its %d captions none is of %s; give the file that belongs to it", file, len(read), s.Name())
}

// wordsOf are a sentence's words without case and punctuation.
func wordsOf(sentence string) string {
	var words []string
	for _, word := range text.Words(sentence) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// graphed is a set with the texts of graphs, by the words of their captions.
type graphed struct {
	Set
	texts map[string]string
}

// graph is that of a sentence, if the file has one.
func (g graphed) graph(sentence string) (scenegraph.Graph, bool) {
	told, has := g.texts[wordsOf(sentence)]
	if !has {
		return scenegraph.Graph{}, false
	}
	graph, err := scenegraph.Align(sentence, told)
	return graph, err == nil
}

// withGraphs is the view of a set that has graphs.
type withGraphs struct{ graphed }

func (w withGraphs) whole() Set { return w.graphed }

// Shards are the set's.
func (w withGraphs) Shards() []int { return shards(w.Set) }
