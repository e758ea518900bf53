// Package imagefolder reads images in a folder a class, as ImageNet and most collections with labels are shared:
//
//	dir/train/CLASS/*.jpg, *.jpeg, *.png, *.webp
//	dir/val/CLASS/...     likewise, of the same classes
//	dir/test/CLASS/...
//
// The name of a class is its folder's, with blanks for underscores. There are no captions. Images are decoded when they are asked for; a
// collection's Hash covers the content of all of them. It imports datasets and datasets/content, and nothing of the rest of this module.
package imagefolder
