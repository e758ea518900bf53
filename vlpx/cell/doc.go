// Package cell is the place where a program shows what it has: the page of a notebook of the kernel "Go (vlpx)", where the program
// is a cell, or a terminal. It has a block of text and a picture that follow what goes on, and, on a page that answers, a form of
// controls.
//
// It knows nothing of training: package lab says what is shown.
package cell
