package negative

import (
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// InfoNCE is the plain contrast: the own pair is the only positive, and both sides carry gradient (METHODS.md 2). Of views of images it is
// SimCLR's NT-Xent, the sum over two views of the mean over images, as GloFND has it (METHODS.md 10.2); SimCLR has half of it, the mean.
// With further views it is FNC's, twice the mean over views and images (METHODS.md 11).
type InfoNCE struct {
	// Items lets the candidates of the anchor's own image share its target evenly, and keeps other captions of the image from being picked
	// as negatives, as BLIP-2's fine-tuning for retrieval has it (METHODS.md 13).
	Items bool `json:",omitempty"`
}

// ITC implements Contrast. Where the framework smooths labels, so are the targets.
func (c InfoNCE) ITC(f Features) Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	t2i := Transpose(i2t, 0, 1)
	if f.Views {
		return Contrasted{Loss: f.softmax(f.Anchors()[0]), I2T: i2t, T2I: t2i}
	}
	i2tTargets, t2iTargets := f.Targets(i2t)
	if c.Items {
		i2tTargets = objective.Positives(f.Items, f.Items, i2t.DType())
		t2iTargets = i2tTargets
	}
	if f.Smoothing > 0 {
		i2tTargets, t2iTargets = objective.Smoothed(i2tTargets, f.Smoothing), objective.Smoothed(t2iTargets, f.Smoothing)
	}
	contrasted := Contrasted{Loss: f.Loss(i2t, t2i, i2tTargets, t2iTargets), I2T: i2t, T2I: t2i}
	if c.Items {
		contrasted.I2T, contrasted.T2I = withoutSiblings(i2t, f.Items), withoutSiblings(t2i, f.Items)
	}
	return contrasted
}

// NeedsItems implements Itemised.
func (c InfoNCE) NeedsItems() bool { return c.Items }

// Connects implements Connecting.
func (InfoNCE) Connects() {}

// ListsNegatives implements Listing.
func (InfoNCE) ListsNegatives() {}

// Plain is InfoNCE on uniform mini-batches: the baseline without any idea about negatives (METHODS.md 2).
func Plain() Method {
	return Method{Name: "InfoNCE"}.WithDefaults()
}

var infoNCE = Entry{
	Name:    "InfoNCE",
	Aliases: []string{"plain", "SimCLR"},
	Source:  "METHODS.md 2",
	What:    "one true caption, all others equally wrong",
	At:      func(Sizes) Method { return Plain() },
}
