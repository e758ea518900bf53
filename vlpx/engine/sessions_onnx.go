//go:build linux && cgo && (amd64 || arm64)

package engine

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct OrtStatus OrtStatus;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct {
	void **(*GetApi)(uint32_t version); // OrtApi, a table of functions; NULL where the library is older
	const char *(*GetVersionString)(void);
} OrtApiBase;

// The functions' places in OrtApi, to which ONNX Runtime only ever appends (onnxruntime_c_api.h). Each version has a table of its own name,
// which is the same memory.
enum { createSessionOptions = 10, setGraphOptimizationLevel = 23, setIntraOpNumThreads = 24, addSessionConfigEntry = 130, oldestVersion = 17 };

typedef OrtStatus *(*createFunction)(OrtSessionOptions **);
typedef OrtStatus *(*numberFunction)(OrtSessionOptions *, int);
typedef OrtStatus *(*entryFunction)(OrtSessionOptions *, const char *key, const char *value);

static void **api;
static createFunction create;
static int threads;

// createSet takes the place of CreateSessionOptions.
static OrtStatus *createSet(OrtSessionOptions **options) {
	OrtStatus *status = create(options);
	if (status == NULL)
		status = ((numberFunction)api[setIntraOpNumThreads])(*options, threads);
	if (status == NULL)
		status = ((entryFunction)api[addSessionConfigEntry])(*options, "session.intra_op.allow_spinning", "0");
	if (status == NULL)
		status = ((numberFunction)api[setGraphOptimizationLevel])(*options, 0); // ORT_DISABLE_ALL
	return status;
}

// setSessions has every session of the library that begins later compute with n threads, on its graph as it is. It returns what is wrong, or NULL.
static const char *setSessions(const char *path, int n) {
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (library == NULL)
		return dlerror();
	const OrtApiBase *(*base)(void) = (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
	if (base == NULL)
		return dlerror();
	api = base()->GetApi(oldestVersion);
	if (api == NULL)
		return "it is older than ONNX Runtime 1.17";
	uintptr_t size = sysconf(_SC_PAGESIZE), page = (uintptr_t)&api[createSessionOptions] & ~(size - 1);
	if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0)
		return "its table of functions cannot be changed";
	threads = n;
	create = (createFunction)api[createSessionOptions];
	api[createSessionOptions] = (void *)createSet;
	mprotect((void *)page, size, PROT_READ);
	return NULL;
}
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// sessions guards the one ONNX Runtime of a process, and tells whether its sessions are set.
var sessions struct {
	sync.Mutex
	set bool
}

// setONNXSessions has ONNX Runtime, the library at path, compute with as many threads as Go runs at once (GOMAXPROCS: the cores that this
// process may use, or fewer if the user says so), the calling one among them, have them sleep when there is nothing to do, and take graphs as they are.
//
// By itself ONNX Runtime starts one thread for each core of the machine, binds it there whatever cores the process was given, and lets it spin: a
// step of ALBEF at mini then takes three to four times the processor time, and runs side by side take each other's cores. And it looks in each graph
// for what can be written more simply, for which a training step is too large: that takes three quarters of the time until its first result, and the steps
// are no faster by it. compute-onnx has no settings for these (docs/upstream/compute-onnx-sessions.md), so the function that makes a session's options is
// replaced by one that sets them, in the library's table of functions.
func setONNXSessions(path string) error {
	sessions.Lock()
	defer sessions.Unlock()
	if sessions.set {
		return nil
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if why := C.setSessions(name, C.int(runtime.GOMAXPROCS(0))); why != nil {
		return fmt.Errorf("%s: %s", path, C.GoString(why))
	}
	sessions.set = true
	return nil
}
