// Package glofnd has the tables and figures of GloFND (Balmaseda et al., 2025).
package glofnd

// Title is the title of the paper.
const Title = "GloFND: Discovering Global False Negatives On the Fly for Self-supervised Contrastive Learning"
