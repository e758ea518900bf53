// Package golden reads golden cases: inputs and results of the papers' official code, recorded in float64, against which losses,
// gradients, samplers and metrics are checked (docs/METHODS.md gives the semantics). A vector is one .json file; a whole model is a
// folder with a case.json and, beside it, its tensors as safetensors under their published names.
//
// The recorded cases travel with the package; the environment variable VLPX_GOLDEN names a directory of others. What a case
// means, and the code that recomputes it, stands in the tests of this directory and of the packages that Elsewhere names. Whole
// models are recomputed in float64 on the pure-Go engine and in float32 on ONNX Runtime, through the code that trains. The package
// imports nothing of vlpx; tests import it.
package golden
