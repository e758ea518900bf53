// Package text turns captions into token ids: ALBEF's caption cleaning and BERT's WordPiece, from a published vocabulary or
// from one built of the training captions; and CLIP's cleaning and byte-pair encoding, from its published list of merges.
//
// It knows strings only: no images, no tensors. It imports nothing of this module; the tokenisation itself is
// go-huggingface's.
package text
