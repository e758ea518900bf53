// Package judgements reads what people said of captions of other images, as a table of comma-separated values in a collection's folder:
//
//	dir/judgements*.csv     a header, then a line a pair; see Parse
//
// The command vlpx audit writes such tables, with an empty column for a person's yes or no. It imports datasets, datasets/content and
// datasets/text, and nothing of the rest of this module.
package judgements
