// Package plots draws figures and grids of pictures on gonum/plot (PNG, SVG, PDF). Tables are in package tables.
//
// It takes names and numbers and knows nothing of training, papers or files: the caller says what a row means and where the
// output goes. How everything looks is decided in style.go.
package plots
