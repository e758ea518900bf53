// Package loader makes batches of pixels and token ids ahead of training: it decodes, augments and encodes in parallel, and
// hands batches out in the order in which they were asked for. What is in a batch depends on the seed, the epoch, the step
// and the position alone, never on the number of workers or on the cache.
//
// Which pairs share a batch is decided elsewhere. It imports datasets, datasets/text and datasets/transform.
package loader
