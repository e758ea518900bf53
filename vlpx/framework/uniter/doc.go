// Package uniter is UNITER (Chen et al., 2020; METHODS.md 12): one transformer over the tokens of a caption and the regions of an image,
// with heads for image-text matching and masked words, and those that TAGS-DC adds. The encoder lives in package encoder, how negatives are
// retrieved and written in package negative.
package uniter
