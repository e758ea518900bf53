package paper

import (
	"fmt"
	"slices"
)

// All lists every artifact, paper by paper in the papers' order, then the project's own.
func All() []Artifact { return slices.Concat(falcon, mafa, glofnd, srcl, tags, own) }

// Find returns an artifact by its ID. An unknown one is an error that suggests the nearest.
func Find(id string) (Artifact, error) {
	var ids []string
	for _, a := range All() {
		if a.ID == id {
			return a, nil
		}
		ids = append(ids, a.ID)
	}
	return Artifact{}, fmt.Errorf("no artifact %q; did you mean %q? See them all with: vlpx list", id, Nearest(id, ids))
}
