package catalogue

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	_ "vlpx.internal/vlpx/framework/all"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/falcon"
	"vlpx.internal/vlpx/papers/glofnd"
	"vlpx.internal/vlpx/papers/mafa"
	"vlpx.internal/vlpx/papers/ours"
	"vlpx.internal/vlpx/papers/srcl"
	"vlpx.internal/vlpx/papers/tags"
	"vlpx.internal/vlpx/scale"
)

// papers are the papers in their order, then the project's own.
var papers = []struct {
	name, title string
	artifacts   func() []paper.Artifact
}{
	{"falcon", falcon.Title, falcon.Artifacts}, {"mafa", mafa.Title, mafa.Artifacts}, {"glofnd", glofnd.Title, glofnd.Artifacts},
	{"srcl", srcl.Title, srcl.Artifacts}, {"tags", tags.Title, tags.Artifacts}, {"vlpx", ours.Title, ours.Artifacts},
}

// primaryJSON names the primary claims of headline tables, six a table at most. It is committed before the runs that decide them.
//
//go:embed primary.json
var primaryJSON []byte

var primary = sync.OnceValue(func() (claims map[string][]string) {
	if err := json.Unmarshal(primaryJSON, &claims); err != nil {
		panic(fmt.Sprintf("catalogue: primary.json: %v", err))
	}
	return claims
})

// List lists every artifact, paper by paper.
func List() (all []paper.Artifact) {
	for _, p := range papers {
		for _, a := range p.artifacts() {
			a.Primary = primary()[a.ID]
			all = append(all, a)
		}
	}
	return all
}

// Title is the title of a paper by its name, with which its artifacts' IDs begin; empty for none.
func Title(name string) string {
	for _, p := range papers {
		if p.name == name {
			return p.title
		}
	}
	return ""
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
	named := slices.DeleteFunc(slices.Clone(ids), func(of string) bool { return !strings.EqualFold(path.Base(of), strings.TrimSpace(id)) })
	if len(named) > 0 {
		return paper.Artifact{}, fmt.Errorf("no artifact %q; did you mean %s?", id, strings.Join(named, " or "))
	}
	return paper.Artifact{}, fmt.Errorf("no artifact %q%s See them all with: vlpx list, or vlpx.Show(\"\") in a notebook", id,
		scale.Suggest(id, ids))
}
