package paper

import (
	"cmp"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/plan"
)

// Extent is how much of an artifact is shipped on one data set.
type Extent struct {
	Data  string `json:"data"`
	Rows  int    `json:"rows"` // of the artifact's, which its own table ships or another one that has the same runs
	Of    int    `json:"of"`
	Seeds [2]int `json:"seeds"` // the fewest and the most of a row
	// Gallery is set of a picture or of examples in docs/GALLERY.md, of one world.
	Gallery bool `json:"gallery,omitempty"`
}

// Extents are those of an artifact, by data set.
type Extents []Extent

// Shipped is how much is shipped of each of some artifacts at mini, as they are shown: on scenes, where plans tell which tables have the
// same runs, and what an artifact's own table has of other data.
func Shipped(artifacts []Artifact) (map[string]Extents, error) {
	all, err := References()
	if err != nil {
		return nil, err
	}
	shipped, known := map[string]Extents{}, new(plan.Known)
	for _, a := range artifacts {
		a.Downstream = nil // whose texts take seconds to read
		p, err := NewPlan(a, plan.Request{Scale: "mini", Data: "scenes", Seeds: []uint64{1}, Known: known})
		if err != nil {
			return nil, err
		}
		shipped[a.ID] = p.Shipped(all)
	}
	return shipped, nil
}

// Shipped is how much of the plan's artifact is among references, by the first seed's runs.
func (p *Planned) Shipped(all []Reference) Extents {
	extents := Extents{} // in JSON a list, also of none
	here := Extent{Data: p.Data.Name, Of: len(p.Artifact.Rows)}
	for i := range p.Artifact.Rows {
		if seeds := p.shippedSeeds(i, all); seeds > 0 {
			here.add(seeds)
		}
	}
	if p.Artifact.Gallery {
		extents = append(extents, Extent{Data: "scenes", Gallery: true})
	}
	if here.Rows > 0 {
		extents = append(extents, here)
	}
	for _, r := range all {
		if r.Artifact != p.Artifact.ID || r.Data == p.Data.Name {
			continue
		}
		other := Extent{Data: r.Data, Of: here.Of}
		for _, row := range r.Rows {
			other.add(len(row.Runs))
		}
		extents = append(extents, other)
	}
	return extents
}

// shippedSeeds are those of a row that its own table ships, or else the most that another one ships with a column of the artifact.
func (p *Planned) shippedSeeds(row int, all []Reference) (seeds int) {
	if len(p.Rows[row]) == 0 {
		return 0
	}
	first := p.Rows[row][0].ID()
	for _, r := range all {
		for _, x := range r.Rows {
			switch {
			case x.Runs[0] != first:
			case r.Artifact == p.Artifact.ID && x.Name == p.Artifact.Rows[row].Name:
				return len(x.Runs)
			case p.shares(x.with(p.Artifact.Columns)):
				seeds = max(seeds, len(x.Runs))
			}
		}
	}
	return seeds
}

// add counts a row of so many seeds.
func (e *Extent) add(seeds int) {
	if e.Rows++; e.Rows == 1 {
		e.Seeds[0] = seeds
	}
	e.Seeds = [2]int{min(e.Seeds[0], seeds), max(e.Seeds[1], seeds)}
}

// String has the extents in words; a dash for none.
func (all Extents) String() string {
	var words []string
	for _, e := range all {
		words = append(words, e.String())
	}
	return cmp.Or(strings.Join(words, "; "), "–")
}

// String is the extent in words: "9 of 12 rows, 1 to 8 seeds, scenes", or "docs/GALLERY.md, scenes".
func (e Extent) String() string {
	if e.Gallery {
		return "docs/GALLERY.md, " + e.Data
	}
	seeds := fmt.Sprintf("%d seeds", e.Seeds[1])
	switch {
	case e.Seeds[1] == 1:
		seeds = "1 seed"
	case e.Seeds[0] < e.Seeds[1]:
		seeds = fmt.Sprintf("%d to %s", e.Seeds[0], seeds)
	}
	return fmt.Sprintf("%d of %d rows, %s, %s", e.Rows, e.Of, seeds, e.Data)
}
