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
