// Package audit finds captions of data that are true of other images, too: candidates for false negatives, by a trained model's cosine,
// by image-text matching, and by a second model as Con-D (MAFA, section 4.1). Where it is known which are true, it measures how many of
// the candidates are and how many were found. It loads no model.
package audit
