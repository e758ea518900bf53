// Package vlpx is the front door: one call in a notebook's cell, or in a program that stands for one, reproduces an artifact of the five
// papers, or answers from the store.
//
// Each function shows what it has: in a notebook of the kernel "Go (vlpx)" tables, figures and, while runs train, their curves; anywhere
// else tables on standard output and a line of progress on standard error. When one fails it ends the program with the error on standard
// error and exit status 1, which makes the cell fail. An interrupt stops the runs; what they have done is kept.
//
// Package lab has the same as functions that return errors. What an artifact is stands in package paper, how a run goes in run and train.
package vlpx
