package plots_test

import (
	"io"
	"math"
	"strings"
	"testing"

	"vlpx.internal/plots"
)

// weights is a figure of a large matrix whose diagonal is empty and of a small one with marks.
func weights() plots.Figure {
	large := plots.Heat{Title: "Large", XLabel: "caption", YLabel: "image", ZLabel: "weight"}
	for r := range 32 {
		var row []float64
		for c := range 32 {
			v := 1 + math.Sin(float64(r*c)/40)
			if r == c {
				v = nan
			}
			row = append(row, v)
		}
		large.Values = append(large.Values, row)
	}
	return plots.Figure{Title: "Weights", Panels: []plots.Panel{large, plots.Heat{
		Title: "Small", XLabel: "caption", YLabel: "image",
		Values: [][]float64{{nan, 0.2, 0.4}, {0.6, nan, 0.8}},
		Marked: [][]bool{{false, true, false}, {false, false, true}},
	}}}
}

func TestFaultyHeats(t *testing.T) {
	for want, h := range map[string]plots.Heat{
		"no value":               {Values: [][]float64{{nan}, {math.Inf(1)}}},
		"1 rows of Values, 2":    {Values: [][]float64{{1, 2}}, Marked: [][]bool{{true, true}, {true, true}}},
		"row 2 is not of 2":      {Values: [][]float64{{1, 2}, {3}}},
		"row 1 is not of 2 cell": {Values: [][]float64{{1, 2}}, Marked: [][]bool{{true}}},
	} {
		err := (plots.Figure{Panels: []plots.Panel{h}}).PNG(io.Discard, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	even := plots.Heat{Values: [][]float64{{1, 1}, {1, nan}}} // no range of values
	if err := (plots.Figure{Panels: []plots.Panel{even}}).SVG(io.Discard); err != nil {
		t.Error(err)
	}
}
