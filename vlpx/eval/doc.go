// Package eval measures image-text retrieval on matrices of scores: recall as the papers report it, the same with every true
// pair accepted where the relation is known, and re-ranking by image-text matching.
//
// It takes plain Go slices and knows nothing of networks or training; it imports the relation of package datasets only.
package eval
