//go:build (linux || darwin) && cgo && (amd64 || arm64)

package engine

import onnxbackend "github.com/gomlx/compute-onnx" // registers "onnx" and "onnxruntime"

// forbidONNXDownload makes a missing ONNX Runtime an error instead of a download.
func forbidONNXDownload() { onnxbackend.EnableAutoInstall(false) }
