//go:build (linux || darwin) && cgo && (amd64 || arm64)

package engine

// LockTable has this process find ONNX Runtime's table of functions as one that cannot be changed.
func LockTable() { tableWritable = false }
