// Package paper is the catalogue: each table and figure of the five papers as data, with the runs it needs, the numbers the
// paper reports and the claims it draws. One file a paper. It also holds the scale presets and the shipped reference results.
package paper
