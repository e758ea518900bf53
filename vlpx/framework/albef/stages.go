package albef

import (
	"fmt"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Before implements framework.Following.
func (a Assignment) Before() framework.Framework { return a.ALBEF }

// Follow implements framework.Following.
func (a Assignment) Follow(earlier weights.Values) (weights.Values, error) {
	return a.ALBEF.double(earlier)
}

// InHalf implements framework.InHalf.
func (a Assignment) InHalf() bool { return a.ALBEF.Half }

// Words implements framework.Worded.
func (a Assignment) Words() string { return a.ALBEF.Words() }

// Vocabulary implements framework.Growing.
func (a Assignment) Vocabulary() int { return a.ALBEF.Text.Vocab }

// WithVocabulary implements framework.Growing.
func (a Assignment) WithVocabulary(size int) framework.Framework {
	a.ALBEF.Text.Vocab = size
	return a
}

// Lock implements framework.Lockable.
func (a Assignment) Lock(width int) framework.Framework {
	a.ALBEF.Vision.Locked = width
	return a
}

// Before implements framework.Following.
func (r Reasoning) Before() framework.Framework { return r.ALBEF }

// Follow implements framework.Following.
func (r Reasoning) Follow(earlier weights.Values) (weights.Values, error) {
	return r.ALBEF.double(earlier)
}

// InHalf implements framework.InHalf.
func (r Reasoning) InHalf() bool { return r.ALBEF.Half }

// Words implements framework.Worded.
func (r Reasoning) Words() string { return r.ALBEF.Words() }

// Vocabulary implements framework.Growing.
func (r Reasoning) Vocabulary() int { return r.ALBEF.Text.Vocab }

// WithVocabulary implements framework.Growing.
func (r Reasoning) WithVocabulary(size int) framework.Framework {
	r.ALBEF.Text.Vocab = size
	return r
}

// Lock implements framework.Lockable.
func (r Reasoning) Lock(width int) framework.Framework {
	r.ALBEF.Vision.Locked = width
	return r
}

// double makes the two layers of each fusion layer of a pre-trained model, which start alike; none of a model that has them already.
func (a Model) double(earlier weights.Values) (weights.Values, error) {
	layer := func(n int) string { return fmt.Sprintf("%s/text/layer_%d/", framework.Model, n) }
	below := func(n int) weights.Values {
		found := weights.Values{}
		for path, value := range earlier {
			if name, is := strings.CutPrefix(path, layer(n)); is {
				found[name] = value
			}
		}
		return found
	}
	t := a.Text
	if len(below(t.Layers+2*t.Fusion-1)) > 0 { // an ALBEF has fewer layers
		return nil, nil
	}
	first := weights.Values{}
	for fusion := range t.Fusion {
		pretrained := below(t.Layers + fusion)
		if len(pretrained) == 0 {
			return nil, fmt.Errorf("albef: the earlier model has no layer %d in its text encoder; start from one with %d text and %d "+
				"fusion layers",
				t.Layers+fusion, t.Layers, t.Fusion)
		}
		for name, value := range pretrained {
			first[layer(t.Layers+2*fusion)+name] = value
			if !strings.HasPrefix(name, "cross/kv/") {
				first[layer(t.Layers+2*fusion+1)+name] = value
			}
		}
	}
	return first, nil
}
