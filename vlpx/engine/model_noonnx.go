//go:build !((linux || darwin) && cgo && (amd64 || arm64))

package engine

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
)

// ModelONNX needs ONNX Runtime, which this build is without.
func ModelONNX(backend compute.Backend, _ *model.Exec, _ shapes.Shape, _, _ string) ([]byte, error) {
	return nil, errNotONNX(backend)
}
