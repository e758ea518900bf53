// Package hubparquet reads images with captions in parquet files, as the Hugging Face hub has them:
//
//	dir/train-00000-of-00002.parquet ...     and validation-*, val-* and test-* likewise, or
//	dir/train/*.parquet                      and validation/, val/ and test/ likewise, or
//	files by their paths, in splits
//
// The image is the column "image", "jpg", "png" or "webp": bytes, or a group with "bytes". The captions are the column "caption",
// "captions", "text", "txt", "sentences" or "sentence": a text, or a list of texts. The first of these names that there is counts.
//
// Captions are kept in memory, and an image is read where it lies, with the page around it: row groups are the shards of a set, which are
// best read one after another. A file with damaged parts is an error. A collection's hash covers all bytes of all files. It imports
// datasets and datasets/content, and nothing of the rest of this module.
package hubparquet
