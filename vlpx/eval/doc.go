// Package eval has the tasks that a model is measured by. Retrieval is zero-shot image-text retrieval: recall as the papers report it, the
// same with every true pair accepted where the relation is known, by the answers of benchmarks (ECCV Caption, CxC), and re-ranking by
// image-text matching; and how well scores tell true captions of other images from false ones. Classification is zero-shot classification
// with prompts. Neighbours, LinearEvaluation and Transfer read representations of images; Thresholds compares what a method has learned of
// false negatives with what it estimates. Perplexity is a language model's of captions, and of any sentences.
// Writing has a model write negatives, and Discrimination and Fluency ask another model about them.
//
// The metrics take plain matrices of scores and know nothing of networks; tasks get the scores from a framework's inference, by a Subject.
// Nothing here trains the network.
package eval
