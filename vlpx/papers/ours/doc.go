// Package ours has the project's own artifacts, whose IDs begin with vlpx/: what only data with an exact relation, or with people's
// judgements, can tell.
package ours

// Title is the heading of these artifacts.
const Title = "vlpx: artifacts of the project's own"
