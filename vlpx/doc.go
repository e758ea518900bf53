// Package vlpx is the front door: one call reproduces an artifact of the five papers, or answers from the store. A notebook
// cell and the command line call the same functions. What an artifact is stands in package paper, which there are in those
// below it, how a run goes in run and train.
package vlpx
