// Package falcon has the tables and figures of FALCON: false-negative aware learning of contrastive negatives. A file is a table, a figure,
// or what several of them measure.
package falcon

// Title is the title of the paper.
const Title = "FALCON: False-Negative Aware Learning of Contrastive Negatives in Vision-Language Pretraining"
