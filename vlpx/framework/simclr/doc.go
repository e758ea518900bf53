// Package simclr is the framework of Chen et al. (2020) as SogCLR and GloFND train it: two augmented views of each image go through one
// network with a projection head, and the method's contrast is all of its loss. It reads no captions.
package simclr
