// Package answer scores answers to questions about images against those of ten people, with the numbers of VQA's published evaluation
// (Antol et al., 2015; GT-Vision-Lab/VQA, vqaEval.py): [Normalise] is what it does to an answer, [Score] its accuracies.
//
// The package knows nothing of models: it takes strings, and imports nothing of vlpx.
package answer
