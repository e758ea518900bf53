//go:build (linux || darwin) && cgo && (amd64 || arm64)

// Tensors come from the C library's heap. A training step waits for memory more than for anything else, and ONNX Runtime's own allocator takes it in
// small pages and plans where a run's tensors lie, so that each is written where nothing was read lately. glibc's gives again what was freed
// last; here it has one heap, since what one thread frees another one needs next, in the large pages that Linux has for whoever asks. Another C
// library's is left alone.

#include "onnxruntime.h"

#ifdef __GLIBC__

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { line = 64 /* bytes of a cache's */, largePage = 2 << 20, step = 64 << 20 /* by which the heap grows */ };

// compiles tells whether XLA is to compute, as it does where there is a GPU and nothing else is asked for: its compiler's threads want heaps of
// their own.
static int compiles(void) {
	const char *engine = getenv("GOMLX_BACKEND");
	return engine != NULL && *engine != 0 ? strncmp(engine, "xla", 3) == 0 : access("/dev/nvidiactl", F_OK) == 0;
}

// useOneHeap runs before the program has a second thread, which would have a heap of its own.
__attribute__((constructor)) static void useOneHeap(void) {
	if (compiles())
		return;
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, step);
}

// enlargePages asks for large pages where the heap has grown.
static void enlargePages(void) {
	static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
	static uintptr_t end;
	pthread_mutex_lock(&growing);
	uintptr_t now = (uintptr_t)sbrk(0);
	if (now > end) {
		uintptr_t from = ((end == 0 ? now - step : end) + largePage - 1) & ~(uintptr_t)(largePage - 1);
		if (from < now)
			madvise((void *)from, now - from, MADV_HUGEPAGE);
		end = now;
	}
	pthread_mutex_unlock(&growing);
}

static void *allocate(OrtAllocator *a, size_t size) {
	void *p = NULL;
	if (size == 0 || posix_memalign(&p, line, size) != 0)
		return NULL;
	enlargePages();
	return p;
}

static void release(OrtAllocator *a, void *p) { free(p); }

static OrtMemoryInfo *processor;
static const OrtMemoryInfo *describe(const OrtAllocator *a) { return processor; }

static OrtAllocator heap = {.version = oldestVersion, .Alloc = allocate, .Free = release, .Info = describe};

OrtStatus *askForHeap(const OrtApi *api, OrtSessionOptions *options) {
	OrtStatus *(*set)(OrtSessionOptions *, const char *, const char *) = api[addSessionConfigEntry];
	OrtStatus *(*planNothing)(OrtSessionOptions *) = api[disableMemPattern];
	OrtStatus *status = set(options, "session.use_env_allocators", "1");
	return status != NULL ? status : planNothing(options);
}

void shareHeap(const OrtApi *api, const OrtEnv *env) {
	static pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER;
	static const OrtEnv *shared;
	OrtStatus *(*ofProcessor)(int type, int memory, OrtMemoryInfo **) = api[createCpuMemoryInfo];
	OrtStatus *(*add)(const OrtEnv *, OrtAllocator *) = api[registerAllocator];
	pthread_mutex_lock(&sharing);
	if (env != shared) {
		shared = env;
		OrtStatus *status = processor != NULL ? NULL : ofProcessor(0 /* no arena */, 0 /* where tensors are by default */, &processor);
		if (status != NULL || (status = add(env, &heap)) != NULL)
			((void (*)(OrtStatus *))api[releaseStatus])(status); // the environment's memory is ONNX Runtime's own
	}
	pthread_mutex_unlock(&sharing);
}

#else

OrtStatus *askForHeap(const OrtApi *api, OrtSessionOptions *options) { return NULL; }
void shareHeap(const OrtApi *api, const OrtEnv *env) {}

#endif
