// Package transform turns a decoded image into the pixels a model reads: crop, resize, flip, RandAugment, normalisation,
// with the operations and numbers of ALBEF's pre-training (METHODS.md 1.1); colour jitter, greys and blur with SogCLR's (7.1).
//
// It knows images only: no data sets, no captions, no tensors. It imports nothing of this module.
package transform
