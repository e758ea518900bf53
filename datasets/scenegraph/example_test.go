package scenegraph_test

import (
	"fmt"
	"math/rand/v2"

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

func ExampleVocabulary_Edits() {
	graphs := []scenegraph.Graph{scenegraph.Parse("two dogs on a bench"), scenegraph.Parse("a kite above three trees")}
	var vocabulary scenegraph.Vocabulary
	for _, g := range graphs {
		vocabulary.Learn(g)
	}
	for _, e := range vocabulary.Edits(graphs[0], graphs[:1], 4, rand.New(rand.NewPCG(1, 2))) {
		fmt.Printf("%s: %s\n", e.Kind, e.Sentence)
	}
	// Output:
	// relation: a bench on two dogs
	// numeral: three dogs on a bench
	// noun: two trees on a bench
	// numeral: eight dogs on a bench
}
