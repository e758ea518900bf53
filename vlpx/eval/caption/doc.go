// Package caption scores generated captions against people's: BLEU, ROUGE-L, CIDEr-D and SPICE, with the numbers of the evaluation
// that COCO published (Chen et al., 2015; tylin/coco-caption).
//
// [Tokenise] splits the sentences as that evaluation does; [BLEU], [ROUGEL] and [CIDErD] score what it gives, and [SPICE] scores
// scene graphs. METEOR is left out: it needs WordNet and a table of paraphrases.
//
// The package knows nothing of models: it takes strings, and imports nothing of vlpx.
package caption
