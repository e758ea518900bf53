package eval

// Sentence is a caption of a split with what was made of it: a negative that a model wrote, and what it makes of that (TAGS-DC, sections 4.2 to 4.4).
type Sentence struct {
	Pair    int    `json:"pair"` // index into the split's pairs
	Caption string `json:"caption"`
	Written string `json:"written,omitempty"` // the hardest that the filter left; "" where none is
	Element string `json:"element,omitempty"` // what alone was masked: object, attribute or relation
	// Corrected is Written by word correction, and Replaced the probability of each of its words to be a replaced one, by word discrimination;
	// none of a model without these heads.
	Corrected string    `json:"corrected,omitempty"`
	Replaced  []float64 `json:"replaced,omitempty"`
	// Edited is made by rules, as in VSE-C; "" where no rule applies.
	Edited string `json:"edited,omitempty"`
	// The model's scores of each, from 0 to 1.
	CaptionScore float64 `json:"caption_score"`
	WrittenScore float64 `json:"written_score,omitempty"`
	EditedScore  float64 `json:"edited_score,omitempty"`
	// Batch and Split are the scores of the hardest other caption of a mini-batch and of the whole split.
	BatchScore float64 `json:"batch_score,omitempty"`
	SplitScore float64 `json:"split_score,omitempty"`
	// True tells that Written is true of the image, and Known that this is known.
	True  bool `json:"true,omitempty"`
	Known bool `json:"known,omitempty"`
}
