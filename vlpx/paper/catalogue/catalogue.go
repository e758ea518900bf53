package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/paper/falcon"
	"vlpx.internal/vlpx/paper/glofnd"
	"vlpx.internal/vlpx/paper/mafa"
	"vlpx.internal/vlpx/paper/ours"
	"vlpx.internal/vlpx/paper/srcl"
	"vlpx.internal/vlpx/paper/tags"
)

// List lists every artifact, paper by paper in the papers' order, then the project's own.
func List() []paper.Artifact {
	return slices.Concat(falcon.Artifacts(), mafa.Artifacts(), glofnd.Artifacts(), srcl.Artifacts(), tags.Artifacts(), ours.Artifacts())
}

// Find returns an artifact by its ID. An unknown one is an error that suggests the nearest.
func Find(id string) (paper.Artifact, error) {
	var ids []string
	for _, a := range List() {
		switch {
		case strings.EqualFold(a.ID, id):
			return a, nil
		case strings.EqualFold(a.Paper(), id):
			return paper.Artifact{}, fmt.Errorf("%s has many artifacts; name one, such as %s", id, a.ID)
		}
		ids = append(ids, a.ID)
	}
	return paper.Artifact{}, fmt.Errorf("no artifact %q%s See them all with: vlpx list, or vlpx.Show(\"\") in a notebook", id,
		paper.Suggest(id, ids))
}
