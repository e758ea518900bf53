package engine

import "path/filepath"

// Where compute-onnx and go-xla put their libraries below a user's home. None of this was run on a Mac.
const (
	ownLibrary = "Library/Application Support/onnxruntime/libonnxruntime.dylib"
	ownPlugins = "Library/Application Support/go-xla"
)

// systemPythons are patterns of folders of packages that macOS has besides those of other systems: of Homebrew, of python.org's installer
// and of pip install --user.
func systemPythons(user string) []string {
	return []string{
		"/opt/homebrew/lib/python3*/site-packages",
		"/Library/Frameworks/Python.framework/Versions/3*/lib/python3*/site-packages",
		filepath.Join(user, "Library/Python/3*/lib/python/site-packages"),
	}
}
