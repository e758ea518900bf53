// Package notebooks holds what the project's notebooks say, one a paper and one for a method of one's own, as the Go code that
// their files are generated from. The files lie beside it, without outputs; a test holds that they are the generated ones.
//
// A paper's notebook only calls vlpx.Show and explains: what an artifact is stands in package paper.
package notebooks

//go:generate go run vlpx.internal/kernels/cmd/notebooks
