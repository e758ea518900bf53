// Package vqa reads questions about COCO's images and people's answers in VQA v2's own format (Goyal et al., 2017):
// v2_OpenEnded_mscoco_train2014_questions.json, v2_mscoco_train2014_annotations.json and their like. Files may be gzipped.
//
// Plain values come out, in the order of the questions; where the images lie is the caller's to know. What is wrong is an error that names
// the file and the entry. It imports datasets/content, and nothing of the rest of this module.
package vqa
