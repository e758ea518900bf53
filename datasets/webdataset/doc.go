// Package webdataset reads images with captions in tar shards, as img2dataset makes CC3M, CC12M and LAION:
//
//	dir/00000.tar, 00001.tar ...      all of them the split train, or
//	dir/train/*.tar                   and val/*.tar and test/*.tar likewise
//	dir/classnames.txt                optional: names of the classes, one a line
//
// The entries KEY.jpg (or .jpeg, .png, .webp), KEY.txt, KEY.json and KEY.cls of a shard are one sample. Its caption is the text or else the
// "caption" of the JSON; its class, a number from 0, counts where all samples of the collection have one. Samples stand in the order of
// their shards' names and of their first entries.
//
// Nothing is unpacked to the disk: Open reads the tar headers, keeps captions in memory, and an image is read where it lies. Shards must
// therefore be plain tars, not gzipped ones. What is broken is left out, counted and told by Skipped. A collection's Hash covers all bytes
// of all shards. It imports datasets and datasets/content, and nothing of the rest of this module.
package webdataset
