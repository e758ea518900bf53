// Package falcon has the tables and figures of FALCON: false-negative aware learning of contrastive negatives. A file is a table, a figure, or
// what several of them measure.
package falcon
