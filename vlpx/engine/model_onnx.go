//go:build (linux || darwin) && cgo && (amd64 || arm64)

package engine

import (
	"bytes"
	"fmt"

	"github.com/gomlx/compute"
	onnxbackend "github.com/gomlx/compute-onnx"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
)

// ModelONNX is a graph of one input and one output as a model of ONNX, with the variables as they are now. The engine is ONNX Runtime,
// whose library checks the model.
func ModelONNX(backend compute.Backend, exec *model.Exec, input shapes.Shape, inputName, outputName string) ([]byte, error) {
	onnx, ok := backend.(*onnxbackend.Backend)
	if !ok {
		return nil, errNotONNX(backend)
	}
	defer onnx.SetKeepModelProto(onnx.KeepModelProto())
	onnx.SetKeepModelProto(true)
	store := exec.Store()
	defer store.WithVariableAsConst(store.VariablesAsConst())
	store.WithVariableAsConst(true)
	g, err := exec.Compile(input)
	if err != nil {
		return nil, fmt.Errorf("engine: a model of ONNX: %w", err)
	}
	var written bytes.Buffer
	if err := onnxbackend.SaveModel(backend, g.Executable(), &written, []string{inputName}, []string{outputName}); err != nil {
		return nil, fmt.Errorf("engine: a model of ONNX: %w", err)
	}
	return written.Bytes(), nil
}
