package plots_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"

	"vlpx.internal/plots"
)

func ExamplePictures() {
	red, blue := image.NewRGBA(image.Rect(0, 0, 32, 32)), image.NewRGBA(image.Rect(0, 0, 32, 32))
	for k := range 32 * 32 {
		red.Set(k%32, k/32, color.RGBA{R: 200, A: 255})
		blue.Set(k%32, k/32, color.RGBA{B: 200, A: 255})
	}
	p := plots.Pictures{
		Title: "Hardest negatives",
		Rows: []plots.PictureRow{{Name: "a red square", Pictures: []plots.Picture{
			{Image: red, Caption: "q = 0.98", Mark: plots.TruePair},
			{Image: blue, Caption: "q = 0.61", Mark: plots.FalsePair},
		}}},
	}
	var svg bytes.Buffer
	if err := p.SVG(&svg); err != nil {
		fmt.Println(err)
	}
	fmt.Println(bytes.Count(svg.Bytes(), []byte("<image")))
	// Output: 2
}
