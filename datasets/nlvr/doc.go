// Package nlvr reads NLVR2's statements about two images in its own format (Suhr et al., 2019): train.json, dev.json, test1.json, each a
// JSON object a line. Files may be gzipped.
//
// Plain values come out, in the order of the file; where the images lie is the caller's to know. What is wrong is an error that names the
// file and the line. It imports datasets/content, and nothing of the rest of this module.
package nlvr
