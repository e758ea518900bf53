// Package encoder holds the networks: a vision transformer, a BERT-like text encoder, and cross-attention fusion of the
// two. A layer takes a scope for its weights; the maths around it is apart. Losses live in objective, the wiring of whole
// models in framework.
//
// Weights are declared at zero while a graph is built; Initialise then draws them on the host from streams named by their
// paths, so that the same seed gives the same weights on every engine and whatever else the model holds.
package encoder
