// Package export takes a finished run's model out of the store and back in: a folder with the weights under ALBEF's published names, the
// settings in its words and Hugging Face's, the tokenizer, and a model card. What is read from such a folder is measured as the run was,
// to the same numbers. Imports go to weights, run and train.
package export
