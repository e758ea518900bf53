// Package engine chooses the compute backend that everything else runs on, opens it, fetches the one shared library that
// makes a processor fast (ONNX Runtime, through npm), and describes the machine.
//
// No network, no training and no graph code live here, except that Install runs npm when it is asked to. The package
// imports GoMLX and nothing of this module; every other package of vlpx may import it.
//
// A default build links pure Go, ONNX Runtime (Linux and macOS on amd64 or arm64) and XLA. The build tag noxla leaves XLA
// out, and CGO_ENABLED=0, or a machine without a C compiler, leaves pure Go alone.
package engine
