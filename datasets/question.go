package datasets

import "slices"

// Question is what is asked about an image, with what people, or the generator, answered.
type Question struct {
	Image   int // index into the set
	Text    string
	Answers []string // of ten people in VQA v2, one each; one where the answer is known exactly; none where it is kept back
	Kind    string   // what is asked for, such as "count"
	// AnswerKind is that of the answer in the official evaluation: "yes/no", "number" or "other".
	AnswerKind string
}

// Questioned is a Set with questions about its images.
type Questioned interface {
	Set
	// Questions lists all of them, image by image. The caller must not change it.
	Questions() []Question
}

// OfQuestions shows the questions about a set's images in the place of their captions, so that a pair is an image with a question: pair p
// is question p of the view, which is [Questioned], too. An image without questions is in no pair.
func OfQuestions(s Set) (Set, error) {
	for of := range behind(s) {
		if questioned, ok := of.(Questioned); ok {
			var shown []Question
			for _, q := range questioned.Questions() {
				if q.Image < s.Len() {
					shown = append(shown, q)
				}
			}
			slices.SortStableFunc(shown, func(a, b Question) int { return a.Image - b.Image })
			texts := make([][]string, s.Len())
			for _, q := range shown {
				texts[q.Image] = append(texts[q.Image], q.Text)
			}
			return questions{worded{s, texts}, shown}, nil
		}
	}
	return nil, &NoTexts{s.Name(), "questions about its images", "take generated scenes, or a folder in the layout of VQA v2"}
}

// questions is a set with its questions in the place of captions.
type questions struct {
	worded
	all []Question
}

// Questions are those of the images shown.
func (q questions) Questions() []Question { return q.all }

// worded is a set with other texts in the place of captions.
type worded struct {
	Set
	texts [][]string
}

// Captions are the texts about image i.
func (w worded) Captions(i int) []string { return w.texts[i] }

func (w worded) whole() Set { return w.Set }

// Shards are none: pairs of the images are not as many as of the captions.
func (worded) Shards() []int { return nil }

// onlyTexts tells that an image without a text is in no pair.
func (worded) onlyTexts() {}
