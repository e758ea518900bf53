// Package content is what sources of data that lie in files share: files are unpacked, told by their content, and decoded if they are
// pictures.
//
// Reading COCO's 20 GB takes a minute or more, so what Digest reads is remembered in a file of the user's cache folder, one a folder of
// data: the next time it asks the system for sizes and times alone, which takes less than a second.
//
// It imports nothing of the rest of this module.
package content
