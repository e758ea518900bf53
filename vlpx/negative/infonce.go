package negative

import (
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// InfoNCE is the plain contrast: the own pair is the only positive, and both sides carry gradient (METHODS.md 2). Of views of images it is
// SimCLR's NT-Xent, the sum over two views of the mean over images, as GloFND has it (METHODS.md 10.2); SimCLR has half of it, the mean. With
// further views it is FNC's, twice the mean over views and images (METHODS.md 11).
type InfoNCE struct{}

// ITC implements Contrast.
func (InfoNCE) ITC(f Features) Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	t2i := Transpose(i2t, 0, 1)
	if f.Views {
		return Contrasted{Loss: f.softmax(f.Anchors()[0]), I2T: i2t, T2I: t2i}
	}
	i2tTargets, t2iTargets := f.Targets(i2t)
	return Contrasted{Loss: f.Loss(i2t, t2i, i2tTargets, t2iTargets), I2T: i2t, T2I: t2i}
}

// Connects implements Connecting.
func (InfoNCE) Connects() {}

// ListsNegatives implements Listing.
func (InfoNCE) ListsNegatives() {}
