package plan

import (
	"encoding/json"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/run"
)

// TextSizes are the sizes of what a run reads, as its training texts give them.
type TextSizes struct {
	Words   int // of the vocabulary
	Text    int // tokens of the longest text, with those at its ends
	Answers int // distinct answers of a question at most, and Answer the tokens of the longest, where texts are questions
	Answer  int
}

// Grown lets the vocabulary of a run that goes on from another one grow: see [planner.grown].
func (t Trained) Grown(r *run.Run) (TextSizes, error) { return t.planner.grown(r) }

// grown lets the vocabulary of a run that goes on from another one grow by the words of its own training texts, unless it is from a file.
// It gives no room for them to the framework: the caller does.
func (w planner) grown(r *run.Run) (TextSizes, error) {
	r.Vocabulary.Grows = r.Vocabulary.Hash == ""
	root := *r
	for root.Init != nil {
		root = *root.Init
	}
	key, err := json.Marshal([]any{r.Data, r.Vocabulary, root.Data, root.Vocabulary})
	if err != nil {
		return TextSizes{}, fmt.Errorf("paper: %w", err)
	}
	if w.known == nil {
		return measureTexts(*r) // of a row outside of a plan
	}
	return w.known.lengths.get(string(key), func() (TextSizes, error) { return measureTexts(*r) })
}

// measureTexts reads the training texts of a run.
func measureTexts(r run.Run) (sizes TextSizes, err error) {
	collection, err := r.Data.Open()
	if err != nil {
		return sizes, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return sizes, err
	}
	set, err := r.Data.Part(collection, "train")
	if err != nil {
		return sizes, err
	}
	sizes = TextSizes{Words: tokenizer.Size(), Text: 2, Answers: 1, Answer: 3}
	lengths := map[string]int{}
	length := func(text string) int {
		n, known := lengths[text]
		if !known {
			n = tokensOf(tokenizer, text)
			lengths[text] = n
		}
		return n
	}
	for i := range set.Len() {
		for _, shown := range set.Captions(i) {
			sizes.Text = max(sizes.Text, length(tokenizer.Prepare(shown)))
		}
	}
	if questioned, ok := set.(datasets.Questioned); ok && r.Data.Texts == run.Questions {
		for _, q := range questioned.Questions() {
			sizes.Answers = max(sizes.Answers, len(q.Given()))
			for _, answer := range q.Answers {
				sizes.Answer = max(sizes.Answer, length(answer))
			}
		}
	}
	return sizes, nil
}

// tokensOf is the number of tokens of a text, with those at its ends.
func tokensOf(k *text.Tokenizer, text string) int {
	ids := k.Encode(text, longest)
	for n := len(ids); n > 2; n-- {
		if ids[n-1] != k.PAD() {
			return n
		}
	}
	return 2
}

// longest is more tokens than a question or an answer has.
const longest = 512
