package objective

// PhraseDraws are the random decisions of MaskPhrases.
type PhraseDraws struct {
	Uniform func() float64                   // in [0, 1)
	Word    func() int32                     // an id of the vocabulary
	Shuffle func(n int, swap func(i, j int)) // of n phrases
}

// MaskPhrases masks a caption several times, phrase by phrase, as TAGS-DC does (METHODS.md 12.1): a phrase, such as an object of the
// caption's scene graph, is masked with the mean over its positions of the masking probability over the number of phrases that have the
// position, and its tokens then become [MASK], a random word or stay in the shares of MaskTokens. Where none is drawn the first phrase of
// the shuffled list is. The phrases are shuffled before each masking, and stay so.
//
//   - ids: of the caption, without [CLS] and [SEP].
//   - phrases: positions in ids; without any each token is a phrase of its own.
//   - probability: of masking, published: 0.15.
//   - mask: the id of [MASK].
//
// Each masked caption comes with its labels, the original ids where masked and Ignored elsewhere, and with the phrases that were drawn, as
// indices into the given list.
func MaskPhrases(ids []int32, phrases [][]int, times int, probability float64, mask int32, d PhraseDraws) []MaskedPhrases {
	if len(phrases) == 0 {
		for at := range ids {
			phrases = append(phrases, []int{at})
		}
	}
	in := make([]float64, len(ids))
	for _, phrase := range phrases {
		for _, at := range phrase {
			in[at]++
		}
	}
	order := make([]int, len(phrases))
	for i := range order {
		order[i] = i
	}
	masked := make([]MaskedPhrases, times)
	for k := range masked {
		d.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		m := newMaskedPhrases(ids)
		draw := func(p int) {
			m.Drawn = append(m.Drawn, p)
			for _, at := range phrases[p] {
				if m.Labels[at] != Ignored {
					continue
				}
				m.Labels[at] = ids[at]
				switch u := d.Uniform(); {
				case u < 0.8:
					m.IDs[at] = mask
				case u < 0.9:
					m.IDs[at] = d.Word()
				}
			}
		}
		for _, p := range order {
			mean := 0.0
			for _, at := range phrases[p] {
				mean += probability / in[at] / float64(len(phrases[p]))
			}
			if d.Uniform() < mean {
				draw(p)
			}
		}
		if len(m.Drawn) == 0 && len(order) > 0 {
			draw(order[0])
		}
		masked[k] = m
	}
	return masked
}

// MaskedPhrases is a caption with some of its phrases masked.
type MaskedPhrases struct {
	IDs, Labels []int32
	Drawn       []int // phrases
}

func newMaskedPhrases(ids []int32) MaskedPhrases {
	m := MaskedPhrases{IDs: append([]int32{}, ids...), Labels: make([]int32, len(ids))}
	for at := range m.Labels {
		m.Labels[at] = Ignored
	}
	return m
}
