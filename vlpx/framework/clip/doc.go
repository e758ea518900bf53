// Package clip is the framework of Radford et al. (2021): two towers and one loss, the contrastive one. It scores no pairs, so that only
// methods go with it that need no image-text matching.
package clip
