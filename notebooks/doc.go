// Package notebooks holds what the project's notebooks say, a quick start, one a paper, one of BLIP-2, an ablation bench, an explorer of
// false negatives and one for a method of one's own, as the Go code that their files are generated from. The files lie beside it, without
// outputs; a test holds that they are the generated ones.
//
// A paper's notebook only calls vlpx.Reproduce: what an artifact shows, and what to look for in it, stands in the package of its paper.
package notebooks

//go:generate go run vlpx.internal/kernels/cmd/notebooks
