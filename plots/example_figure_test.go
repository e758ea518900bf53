package plots_test

import (
	"bytes"
	"fmt"

	"vlpx.internal/plots"
)

func ExampleFigure() {
	recall := plots.Lines{
		Title: "Image retrieval", XLabel: "epoch", YLabel: "R@1 (%)",
		Series: []plots.Series{
			{Name: "ALBEF", X: []float64{1, 2, 3}, Mean: []float64{2.1, 8.4, 13.0}, Std: []float64{.4, .9, 1.1}},
			{Name: "GRIT-VLP", X: []float64{1, 2, 3}, Mean: []float64{2.1, 9.6, 15.8}, Std: []float64{.4, 1.2, .8}},
		},
	}
	var svg bytes.Buffer
	if err := (plots.Figure{Panels: []plots.Panel{recall}}).SVG(&svg); err != nil {
		fmt.Println(err)
	}
	fmt.Println(bytes.Contains(svg.Bytes(), []byte("GRIT-VLP")))
	// Output: true
}
