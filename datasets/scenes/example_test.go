package scenes_test

import (
	"fmt"
	"log"

	"vlpx.internal/datasets/scenes"
)

func Example() {
	all, err := scenes.New(scenes.Config{Train: 1000})
	if err != nil {
		log.Fatal(err)
	}
	set, err := all.Split("train")
	if err != nil {
		log.Fatal(err)
	}
	train := set.(*scenes.Split)
	for _, caption := range train.Captions(0) {
		fmt.Println(caption)
	}
	fmt.Println(train.Classes()[train.Class(0)])
	// Output:
	// a striped object on slate
	// a small square on slate
	// a plain object right of a cross on slate
	// a green square above a cyan cross on slate
	// a cross on slate
	// slate
}

func ExampleParse() {
	caption, err := scenes.Parse("a red square left of a ring on sand")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(caption.Subject.Colour, caption.Direction, caption.Object.Shape)
	_, err = scenes.Parse("a red square on fire")
	fmt.Println(err)
	// Output:
	// red left of ring
	// scenes: caption "a red square on fire": word 5 is "fire"; want a ground (sand, grass, water, brick, snow, slate, soil, heather)
}

func ExampleSplit_Questions() {
	all, err := scenes.New(scenes.Config{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := all.Split("val")
	if err != nil {
		log.Fatal(err)
	}
	val := set.(*scenes.Split)
	for _, q := range val.Questions()[:4] {
		fmt.Println(q.Text, q.Answers[0])
	}
	for _, s := range val.Statements()[:2] {
		fmt.Println(s.Text, s.True)
	}
	// Output:
	// is there a magenta object ? yes
	// what colour is the big plain object ? blue
	// is there a small square ? no
	// is the striped object bigger than the magenta object ? yes
	// the two images have one red object in total false
	// the two images have one red object in total true
}
