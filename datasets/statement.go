package datasets

import "slices"

// Statement is a sentence about two images, true or false (NLVR2).
type Statement struct {
	Left, Right int // indices into the set
	Text        string
	True        bool
}

// Stated is a Set with statements about two of its images.
type Stated interface {
	Set
	// Statements lists all of them, by their left image. The caller must not change it.
	Statements() []Statement
}

// OfStatements shows the statements about two of a set's images in the place of captions, each with its left image: pair p is statement p
// of the view, which is [Stated], too. An image that is the left one of none is in no pair.
func OfStatements(s Set) (Set, error) {
	for of := range behind(s) {
		if stated, ok := of.(Stated); ok {
			var shown []Statement
			for _, a := range stated.Statements() {
				if max(a.Left, a.Right) < s.Len() {
					shown = append(shown, a)
				}
			}
			slices.SortStableFunc(shown, func(a, b Statement) int { return a.Left - b.Left })
			texts := make([][]string, s.Len())
			for _, a := range shown {
				texts[a.Left] = append(texts[a.Left], a.Text)
			}
			return statements{worded{s, texts}, shown}, nil
		}
	}
	return nil, &NoTexts{s.Name(), "statements about two images", "take generated scenes, or a folder in the layout of NLVR2"}
}

// statements is a set with its statements in the place of captions.
type statements struct {
	worded
	all []Statement
}

// Statements are those of the images shown.
func (s statements) Statements() []Statement { return s.all }
