// Package gpt is GPT-2 (Radford et al., 2019) as a framework: a language model of captions, which sees no images. How fluent a sentence is
// is reported by its perplexity.
package gpt
