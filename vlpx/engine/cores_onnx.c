//go:build (linux || darwin) && cgo && (amd64 || arm64)

// While a graph is computed each thread keeps to a core of its own, where the process has as many threads as cores. Linux wakes a thread up
// on the core of the thread that waits for it, where all cores were busy lately, and parts the two only when a step of short operations is
// long over: CLIP's took twice as long then.

#define _GNU_SOURCE
#include "onnxruntime.h"

#include <stdio.h>

#ifdef __linux__

#include <sched.h>
#include <unistd.h>

typedef OrtStatus *(*RunFunction)(OrtSession *, const void *, const char *const *, const OrtValue *const *, size_t, const char *const *,
                                  size_t, OrtValue **);

static RunFunction run;
static cpu_set_t first; // the core of the thread that calls
static char others[1 << 13]; // those of the other ones, as ONNX Runtime's settings name them; empty where threads go where they like

void shareCores(int threads) {
	cpu_set_t all;
	int length = 0, core = 0;
	others[0] = 0;
	if (threads < 2 || sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) != threads)
		return;
	// Processes side by side begin at different cores.
	for (int skip = getpid() % threads; skip >= 0; core = (core + 1) % CPU_SETSIZE)
		skip -= CPU_ISSET(core, &all) != 0;
	CPU_ZERO(&first);
	CPU_SET((core + CPU_SETSIZE - 1) % CPU_SETSIZE, &first);
	for (int i = 1; i < threads; core = (core + 1) % CPU_SETSIZE)
		if (CPU_ISSET(core, &all)) {
			length += snprintf(others + length, sizeof others - length, "%s%d", i > 1 ? ";" : "", core + 1);
			i++;
		}
}

OrtStatus *keepToCores(const OrtApi *api, OrtSessionOptions *options) {
	OrtStatus *(*set)(OrtSessionOptions *, const char *, const char *) = api[addSessionConfigEntry];
	return others[0] == 0 ? NULL : set(options, "session.intra_op_thread_affinities", others);
}

// runOnFirst computes on the first core. The thread is Go's, and may go on elsewhere.
static OrtStatus *runOnFirst(OrtSession *s, const void *options, const char *const *inputs, const OrtValue *const *in, size_t ins,
                             const char *const *outputs, size_t outs, OrtValue **out) {
	cpu_set_t before;
	int kept = sched_getaffinity(0, sizeof before, &before) == 0 && sched_setaffinity(0, sizeof first, &first) == 0;
	OrtStatus *status = run(s, options, inputs, in, ins, outputs, outs, out);
	if (kept)
		sched_setaffinity(0, sizeof before, &before);
	return status;
}

void *keepRunToCore(void *runs) {
	if (others[0] == 0)
		return runs;
	run = runs;
	return runOnFirst;
}

#else

void shareCores(int threads) {}
OrtStatus *keepToCores(const OrtApi *api, OrtSessionOptions *options) { return NULL; }
void *keepRunToCore(void *runs) { return runs; }

#endif
