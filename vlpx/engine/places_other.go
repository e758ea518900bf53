//go:build !darwin

package engine

// Where compute-onnx and go-xla put their libraries below a user's home.
const (
	ownLibrary = ".local/lib/onnxruntime/libonnxruntime.so"
	ownPlugins = ".local/lib/go-xla"
)

func systemPythons(string) []string { return nil }
