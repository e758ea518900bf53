package scenes

import (
	"slices"

	"vlpx.internal/datasets"
)

var _ datasets.Domained = (*Split)(nil)

// Domain implements datasets.Domained: whether the first world has all the shapes of image i, some of them, or none. Its own scenes are all
// in domain; of the second world's, with three of six shapes from the first, a quarter is in, a half near and a quarter out of domain.
func (s *Split) Domain(i int) string {
	known := 0
	objects := s.Scene(i).Objects
	for _, o := range objects {
		if slices.Contains(firstWorld.shown.shapes, o.Shape) {
			known++
		}
	}
	switch known {
	case len(objects):
		return datasets.InDomain
	case 0:
		return datasets.OutOfDomain
	}
	return datasets.NearDomain
}
