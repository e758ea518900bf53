package caption

import "fmt"

// Item is an image's generated caption, and what people wrote of the image.
type Item struct {
	Hypothesis string
	References []string
}

// Tokens is an Item whose sentences are tokens with one blank between them, as [Tokenise] leaves them.
type Tokens Item

// Scores are one metric's, larger is better.
type Scores struct {
	Items  []float64 // in the order of the items
	Corpus float64   // the metric's own score of all items, which need not be the mean of Items
}

// Tokenise splits the sentences of items into tokens. The hypotheses are one text, and so are all references: see [PTB].
//
// An item without references is an error, which tells its index; an empty sentence is none.
func Tokenise(items []Item) ([]Tokens, error) {
	var hypotheses, references []string
	for i, item := range items {
		if err := item.check(i); err != nil {
			return nil, err
		}
		hypotheses = append(hypotheses, item.Hypothesis)
		references = append(references, item.References...)
	}
	hypotheses, references = PTB(hypotheses), PTB(references)
	tokens := make([]Tokens, len(items))
	for i, item := range items {
		n := len(item.References)
		tokens[i] = Tokens{hypotheses[i], references[:n:n]}
		references = references[n:]
	}
	return tokens, nil
}

func (item Item) check(i int) error {
	if len(item.References) == 0 {
		return fmt.Errorf("caption: item %d (%q): no references; a caption is scored against at least one", i, item.Hypothesis)
	}
	return nil
}

// mean is that of the items' scores, 0 of none.
func mean(scores []float64) float64 {
	var sum float64
	for _, s := range scores {
		sum += s
	}
	return sum / float64(max(1, len(scores)))
}
