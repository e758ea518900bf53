// Package eval measures zero-shot image-text retrieval: recall as the papers report it, the same with every true pair accepted
// where the relation is known, by the answers of benchmarks (ECCV Caption, CxC), and re-ranking by image-text matching; and how well
// scores tell true captions of other images from false ones.
//
// The metrics take plain matrices of scores and know nothing of networks; Retrieval in zeroshot.go gets the scores from a
// framework's inference. Nothing here trains.
package eval
