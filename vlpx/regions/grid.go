package regions

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
)

// grid has a locked encoder's tokens as regions.
type grid struct {
	Source
	tokens loader.Features
	boxes  []datasets.Box // of each token
}

func openGrid(s Source, tokens loader.Features) (*grid, error) {
	side := 1
	for (side+1)*(side+1) < s.Count {
		side++
	}
	if s.Count != 1+side*side || tokens.Size() != s.Count*s.Width {
		return nil, fmt.Errorf("regions: a grid of %d regions of %d features for a locked encoder that gives %d numbers; take its class "+
			"token and a square "+
			"of patches, and its width", s.Count, s.Width, tokens.Size())
	}
	g := &grid{s, tokens, []datasets.Box{whole}}
	for y := range side {
		for x := range side {
			of := func(k int) float64 { return float64(k) / float64(side) }
			g.boxes = append(g.boxes, datasets.Box{Left: of(x), Top: of(y), Right: of(x + 1), Bottom: of(y + 1)})
		}
	}
	return g, nil
}

// Size is how many numbers an image has.
func (g *grid) Size() int { return g.size() }

// Features writes the regions of image i; see loader.Features.
func (g *grid) Features(ctx context.Context, i int, out []float32) error {
	tokens := make([]float32, g.Count*g.Width)
	err := g.tokens.Features(ctx, i, tokens)
	for k, b := range g.boxes {
		row := g.row(out, k)
		copy(row, tokens[k*g.Width:(k+1)*g.Width])
		locate(row[g.Width:], sidesOf(b))
	}
	return err
}
