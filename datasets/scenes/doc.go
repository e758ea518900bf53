// Package scenes is the embedded default data set: pictures of one to three coloured shapes on a ground, with captions
// from a grammar that says more or less about them, so that images and captions correspond many to many.
//
// A caption is true of an image exactly when its scene graph is contained in the scene. The relation R of FALCON's
// Proposition 1 is therefore known for every pair, and false negatives are counted, not estimated. The ground plays the
// part of a topic: most random negatives show another ground and are easy, so hard mini-batches have something to gain.
//
// A scene's class is its ground, or with Config.OneShape the shape that all its objects have: a label for methods that learn from images
// alone, which augmentations of colour would make false of grounds.
//
// The same grammar asks questions about scenes and makes statements about two of them, whose answers and truth are exact and in balance, so
// that nothing but the images tells them: see [Split.Questions] and [Split.Statements], and [Answer] and [Judge] for those of one's own.
// Config.World has scenes of a second world, in which half of the shapes are new: see [SecondWorld] and [Split.Domain].
//
// Everything is drawn from a seed; there are no files. Every scene has random streams of its own, so pictures are drawn
// when they are asked for and no split depends on another.
//
// The package imports datasets and its scene graphs, and nothing else of this module.
package scenes
