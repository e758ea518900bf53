// Package explore looks at the negatives of single anchors with a finished run's model: how similar each is, whether it is a
// negative at all, by the exact relation or by people, and what every method would do with it; and at the negatives that the model
// writes from single captions.
//
// Nothing here trains. The methods are asked about one mini-batch: the anchor's pair and its most similar negatives'. The package
// builds on run, train and negative; it knows of no artifacts.
package explore
