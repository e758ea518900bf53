// Package albef is the framework of Li et al. (2021): a vision transformer, a text encoder whose upper half fuses text with image, and the
// losses ITC, ITM and MLM. GRIT-VLP, MAFA, SRCL and FALCON are methods on it.
package albef
