//go:build (linux || darwin) && cgo && (amd64 || arm64)

package engine

/*
#include <stdlib.h>
int profileSessions(const char *prefix);
*/
import "C"

import (
	"path/filepath"
	"unsafe"

	"github.com/gomlx/compute"
	onnxbackend "github.com/gomlx/compute-onnx"
)

// ProfileSessions has ONNX Runtime's sessions that begin before end is called write what each of their operations took into files in dir,
// each when it is released ([LongestProfile] reads them). It is the whole process's: other graphs that begin meanwhile are profiled, too.
// Other engines, and graphs on a GPU, are an error that says what can.
func ProfileSessions(backend compute.Backend, dir string) (end func(), err error) {
	if _, ok := backend.(*onnxbackend.Backend); !ok {
		return nil, errNoProfile(backend)
	}
	prefix := C.CString(filepath.Join(dir, "session"))
	defer C.free(unsafe.Pointer(prefix))
	if C.profileSessions(prefix) == 0 {
		return nil, errNoProfile(backend)
	}
	return func() { C.profileSessions(nil) }, nil
}
