// Package paper is what a paper's artifact is made of: tables and figures as data, with the runs that they need, the numbers that the
// paper reports and the claims that it draws; reports; the shipped reference results.
// The artifacts themselves stand in a package a paper below vlpx/papers, which package catalogue lists; imports go from there to here, and
// from here to package plan.
package paper
