// Package tables writes tables as text, Markdown, HTML, CSV and LaTeX.
//
// It takes names and numbers and knows nothing of training, papers or files: the caller says what a row means and where the output goes.
package tables
