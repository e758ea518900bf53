// Package cococaptions reads captions in COCO's own format, captions_train2014.json and its like, and those of NoCaps, which has besides
// how far an image is from COCO's classes. Files may be gzipped.
//
// Plain values come out, in the order of the file; where the images lie is the caller's to know. What is wrong is an error that names the
// file and the entry. It imports datasets/content, and nothing of the rest of this module.
package cococaptions
