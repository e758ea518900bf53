// Package encoder holds the networks: a vision transformer, residual networks, a BERT-like text encoder with cross-attention to
// images, and CLIP's text transformer. A layer takes a scope for its weights; the maths around it is apart. Losses live in
// objective, the wiring of whole models in framework.
//
// Weights are declared at zero while a graph is built; Initialise then draws them on the host from streams named by their
// paths, so that the same seed gives the same weights on every engine and whatever else the model holds.
package encoder
