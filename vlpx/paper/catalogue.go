package paper

import (
	"fmt"
	"slices"
	"strings"
)

// All lists every artifact, paper by paper in the papers' order, then the project's own.
func All() []Artifact { return slices.Concat(falcon, mafa, glofnd, srcl, tags, own) }

// Find returns an artifact by its ID. An unknown one is an error that suggests the nearest.
func Find(id string) (Artifact, error) {
	var ids []string
	for _, a := range All() {
		switch {
		case strings.EqualFold(a.ID, id):
			return a, nil
		case strings.EqualFold(a.Paper(), id):
			return Artifact{}, fmt.Errorf("%s has many artifacts; name one, such as %s", id, a.ID)
		}
		ids = append(ids, a.ID)
	}
	return Artifact{}, fmt.Errorf("no artifact %q%s See them all with: vlpx list, or vlpx.Show(\"\") in a notebook", id, Suggest(id, ids))
}
