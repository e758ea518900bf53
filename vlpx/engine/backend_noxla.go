//go:build !cgo || noxla

package engine

func forbidXLADownload() {}
