package datasets

// Prompt is a question as a language model is asked it (LAVIS, Blip2OPT.predict_answers).
func Prompt(question string) string { return "question : " + question + " answer :" }

// OfTalk shows all that a language model reads of a set: the captions of an image, and behind them its questions as [Prompt] puts them,
// each with its most frequent answer. A set without questions shows its captions.
func OfTalk(s Set) Set {
	texts := make([][]string, s.Len())
	for i := range texts {
		texts[i] = append(texts[i], s.Captions(i)...)
	}
	if view, err := OfQuestions(s); err == nil {
		for _, q := range view.(Questioned).Questions() {
			if given := q.Given(); len(given) > 0 {
				texts[q.Image] = append(texts[q.Image], Prompt(q.Text)+" "+given[0].Answer)
			}
		}
	}
	return worded{s, texts}
}
