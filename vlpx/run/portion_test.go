package run

import (
	"testing"

	"vlpx.internal/internal/test/must"
)

// A portion of a folder's training images leaves the other splits whole.
func TestPortionOfAFolder(t *testing.T) {
	data := must.Get(FolderData(album(t)))(t)
	for _, c := range []struct {
		portion     float64
		images      int
		train, test int
	}{{0, 0, 8, 8}, {0.25, 0, 2, 8}, {0.3, 0, 3, 8}, {1, 0, 8, 8}, {0.5, 6, 3, 6}} {
		data.Portion, data.Images = c.portion, c.images
		train := must.Get(data.TrainingSet())(t)
		test := must.Get(data.TestSet())(t)
		if train.Len() != c.train || test.Len() != c.test {
			t.Errorf("%v of %d: got %d training and %d test images, want %d and %d", c.portion, c.images, train.Len(), test.Len(),
				c.train, c.test)
		}
	}
	data.Portion = 1.5
	must.Fail(t, must.Err(data.Open()), "use a share from 0 to 1")
}
