// Package golden reads golden vectors: inputs and results of the papers' official code, recorded in float64, against which
// losses, gradients, samplers and metrics are checked (docs/METHODS.md gives the semantics).
//
// The recorded cases travel with the package; the environment variable VLPX_GOLDEN names a directory of others. What a case
// means, and the code that recomputes it, stands in the tests of this directory and, for the samplers, of package negative. The
// package imports nothing of vlpx.
package golden
