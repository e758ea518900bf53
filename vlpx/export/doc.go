// Package export takes a finished run's model out of the store and back in: a folder with the weights under the published names of its
// framework, the settings in the words of its published code, the tokenizer, and a model card. What is read from such a folder is measured
// as the run was, to the same numbers. Imports go to weights, run and train; what a framework is called elsewhere it tells itself.
package export
