// Package locked computes what an image encoder without gradient makes of each image once, and keeps it: an encoder that is not
// trained sees a picture without augmentation always alike. It is the machine for locked-image tuning (Zhai et al., 2022), for BLIP-2's
// frozen vision transformer and for UNITER's regions. What it keeps is a loader.Features; models do not know where it comes from.
package locked
