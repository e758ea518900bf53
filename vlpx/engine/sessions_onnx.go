//go:build (linux || darwin) && cgo && (amd64 || arm64)

package engine

/*
#cgo CFLAGS: -O3
#cgo LDFLAGS: -ldl -lm
#include <stdlib.h>

// setSessions sets every session of the library that begins later, and returns whether it could. why is NULL, or what is wrong.
int setSessions(const char *path, int threads, int fuse, int writable, const char **why);

// profileSessions has sessions that begin later profiled into files whose names begin with prefix, or not if that is NULL, and returns
// whether it could: only graphs that are fused have operations that tell what they do.
int profileSessions(const char *prefix);
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"vlpx.internal/vlpx/engine/fusion"
)

// sessions guards the one ONNX Runtime of a process.
var sessions struct {
	sync.Mutex
	set bool
	why error // why some settings are the library's own
}

// tableWritable is false in the test of a library whose table of functions cannot be changed.
var tableWritable = true

// setONNXSessions has ONNX Runtime, the library at path, compute with as many threads as Go runs at once (GOMAXPROCS: the cores that this
// process may use, or fewer if the user says so), the calling one among them, have them keep to cores of their own (cores_onnx.c), sleep
// when there is nothing to do, and, to fuse, take graphs as package fusion writes them.
//
// By itself ONNX Runtime starts one thread for each core of the machine, binds it there whatever cores the process was given, and lets it
// spin: a step of ALBEF at mini then takes three to four times the processor time, and runs side by side take each other's cores. Here a
// thread spins for 20 microseconds, from one operation to the next, but not while its core could serve another run. And ONNX Runtime looks
// in each graph for what can be written more simply, for which a training step is too large: that takes three quarters of the time until
// its first result, and the steps are no faster by it. compute-onnx has no settings for these (docs/upstream/compute-onnx-sessions.md), so
// the functions that make a session and its options, and that run it, are replaced in the library's table of functions. Where that cannot
// be, the library computes with settings of its own, and the error says why: numbers are as right, and steps are slower.
func setONNXSessions(path string, fuse bool) error {
	sessions.Lock()
	defer sessions.Unlock()
	if sessions.set {
		return sessions.why
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var why *C.char
	sessions.set = C.setSessions(name, C.int(runtime.GOMAXPROCS(0)), flag(fuse), flag(tableWritable), &why) != 0
	if why != nil {
		sessions.why = fmt.Errorf("%s: %s", path, C.GoString(why))
	}
	return sessions.why
}

func flag(is bool) C.int {
	if is {
		return 1
	}
	return 0
}

// fuseModel rewrites a serialised graph, or returns nil. The caller frees what it returns.
//
//export fuseModel
func fuseModel(model unsafe.Pointer, length C.size_t, fusedLength *C.size_t) unsafe.Pointer {
	fused, err := fusion.Model(unsafe.Slice((*byte)(model), int(length)))
	if err != nil {
		return nil
	}
	*fusedLength = C.size_t(len(fused))
	return C.CBytes(fused)
}
