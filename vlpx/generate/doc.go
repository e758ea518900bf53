// Package generate searches for texts that a language model writes token by token: greedily, or with beams, as Hugging Face's generate
// does. The search is host code over the logits of a callback; Texts has a trained model give them.
package generate
