//go:build !((linux || darwin) && cgo && (amd64 || arm64))

package engine

func forbidONNXDownload() {}
