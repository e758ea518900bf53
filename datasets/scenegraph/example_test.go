package scenegraph_test

import (
	"fmt"

	"vlpx.internal/datasets/scenegraph"
)

func ExampleParse() {
	g := scenegraph.Parse("A man in a red shirt is sitting on a wooden bench.")
	fmt.Println(g)
	for _, p := range g.Phrases() {
		var words []string
		for _, at := range p.At {
			words = append(words, g.Words[at])
		}
		fmt.Println(p.Kind, words)
	}
	// Output:
	// ( man , wear , shirt ) , ( man , sit on , bench ) , ( shirt , is , red ) , ( bench , is , wooden )
	// relation [in]
	// relation [sitting on]
	// attribute [red]
	// attribute [wooden]
	// object [man]
	// object [shirt]
	// object [bench]
}
