// Package karpathy reads image-caption collections in Karpathy's layout, as COCO, Flickr8k and Flickr30k are shared:
//
//	dir/dataset_NAME.json[.gz]                 images, splits and captions
//	dir/images/...                             JPEG or PNG, flat or in folders named by "filepath"
//	dir/cross_image_judgements.json.gz         optional: what people said of captions of other images
//	dir/eccv_caption/*.json[.gz]               optional: which captions of COCO's test split people found true of which images
//
// What is broken in the files that list images is left out, counted and told by Skipped. Images are decoded when they are asked for,
// and not transformed; one that cannot be decoded is an error then. A collection's Hash covers the content of all of them.
// It imports datasets and datasets/content, and nothing of the rest of this module.
package karpathy
