// Package regions gives images as regions in the place of pixels, as UNITER reads them (Chen et al., 2020; METHODS.md 12): rows of
// features, each with where in the image it is from. Regions are those that a detector found and a folder has (Files), the boxes of
// generated scenes with features of their crops (Boxes), or a locked encoder's patches (Grid). What it makes is a loader.Features; models
// do not know where it comes from.
//
// It imports datasets alone of this module, and package random.
package regions
