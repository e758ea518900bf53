// Package negative holds the methods: what is done about the negatives of a mini-batch. A method is a composition of parts,
// each the answer to one question, one idea a file:
//
//   - Batches: which pairs share a mini-batch (uniform, streamed, grouped, fixed quantile, progressive, scheduled).
//   - Contrast: how ITC weighs the other pairs (InfoNCE, momentum distillation, consistency,
//     hard-negative weights, similarity regulation, smoothing).
//   - Matching: which negatives ITM sees (sampled, hardest).
//
// Parts are plain data: their JSON is part of a run's identity. Batches work on the host between steps; Contrast and
// Matching build the graph of the step from the batch's embeddings. What a method does over an epoch is gathered by an
// Observer beside it. The package knows nothing of encoders or training.
package negative
