// Package lab is what a notebook's call and the command both need, as functions that return values and errors.
//
//   - A [Grid] is an artifact or a comparison with its plan and its store: what is missing, about how long it takes, making it, its
//     [Report].
//   - A [Sweep] is several grids made by many processes.
//   - A [Store] lists, shows, compares, removes, verifies, exports and imports runs.
//   - A [Page] is one HTML page of artifacts.
//
// Package vlpx calls it for cells, command vlpx for shells. What an artifact is stands in package paper, how a run goes in run and train.
package lab
