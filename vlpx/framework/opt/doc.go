// Package opt is OPT (Zhang et al., 2022) as a framework: a language model of captions, which sees no images and is frozen in BLIP-2's
// second stage.
package opt
