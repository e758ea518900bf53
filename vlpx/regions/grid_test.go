package regions_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/regions"
)

// tokens are a locked encoder's: number k of image i is 100 i + k. Image 3 cannot be decoded.
type tokens struct{ size int }

func (x tokens) Size() int { return x.size }

func (x tokens) Features(_ context.Context, i int, out []float32) error {
	for k := range out[:x.size] {
		out[k] = float32(100*i + k)
	}
	if i == 3 {
		return errors.New("grey")
	}
	return nil
}

// A grid has the class token as the whole image and each patch where it is.
func TestGrid(t *testing.T) {
	set := generated(t, scenes.Config{Train: 4, Val: 1, Test: 1}, "train")
	source := regions.Source{Count: 10, Width: 2, Grid: true}
	f := must.Get(source.Open(set, tokens{20}))(t)
	rows := rowsOf(t, f, source, 2)
	for k, where := range [][]float64{{0, 0, 1, 1, 1, 1, 1, 1}, {0, 0, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 9, 1},
		{1. / 3, 0, 2. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 9, 1}} {
		if want := []float32{float32(200 + 2*k), float32(201 + 2*k)}; !slices.Equal(rows[k][:2], want) {
			t.Errorf("row %d: got the token %v, want %v", k, rows[k][:2], want)
		}
		for n, x := range where {
			if math.Abs(float64(rows[k][2+n])-x) > 1e-6 {
				t.Errorf("row %d: it is at %v, want %v", k, rows[k][2:], where)
				break
			}
		}
	}
	area := 0.
	for _, row := range rows[1:] {
		area += float64(row[8])
	}
	if last := rows[9][2:]; math.Abs(area-1) > 1e-6 || last[2] != 1 || last[3] != 1 {
		t.Errorf("patches cover %g of the image, the last one is at %v", area, last)
	}
	if err := f.Features(t.Context(), 3, make([]float32, f.Size())); err == nil || err.Error() != "grey" {
		t.Errorf("an image that cannot be decoded: got %v", err)
	}
	for _, c := range []struct {
		source regions.Source
		tokens tokens
	}{{source, tokens{18}}, {regions.Source{Count: 9, Width: 2, Grid: true}, tokens{18}}} {
		must.Fail(t, must.Err(c.source.Open(set, c.tokens)), "square of patches", "%+v of %d numbers", c.source, c.tokens.size)
	}
}
