// A library that stands for ONNX Runtime before sessions_onnx.c. Its table is read-only, as ONNX Runtime's is. The call number failAt fails.

#define _GNU_SOURCE
#include "../onnxruntime.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

int failAt, calls, old; // old: the library has no table of the version that is asked for
int statuses, options, domains, sessions; // that were made and not released
size_t modelLength; // of the last session
char affinities[1 << 13]; // of the last options
cpu_set_t ran; // the cores of the last run
int profiled; // options whose sessions are profiled

struct OrtStatus { int code; };

static OrtStatus *call(void) {
	if (++calls != failAt)
		return NULL;
	statuses++;
	return calloc(1, sizeof(OrtStatus));
}

static OrtStatus *make(int *count, void **made) {
	OrtStatus *status = call();
	if (status == NULL) {
		++*count;
		*made = malloc(1);
	}
	return status;
}

static void release(int *count, void *made) {
	--*count;
	free(made);
}

static OrtStatus *makeOptions(void **made) { return make(&options, made); }
static OrtStatus *makeDomain(const char *name, void **made) { return make(&domains, made); }
static OrtStatus *makeSession(const OrtEnv *env, const void *model, size_t length, const void *with, void **made) {
	char *copy = malloc(length); // so that all of it is read
	modelLength = length;
	memcpy(copy, model, length);
	free(copy);
	return make(&sessions, made);
}
static OrtStatus *setNumber(void *options, int n) { return call(); }
static OrtStatus *setEntry(void *options, const char *key, const char *value) {
	if (strcmp(key, "session.intra_op_thread_affinities") == 0)
		strncpy(affinities, value, sizeof affinities - 1);
	return call();
}
static OrtStatus *profile(void *options, const char *prefix) {
	profiled += strcmp(prefix, "folder/session") == 0;
	return call();
}
static OrtStatus *add(void *to, const void *what) { return call(); }
static OrtStatus *planNothing(void *options) { return call(); }
static OrtStatus *makeInfo(int type, int memory, void **made) {
	static int infos;
	return make(&infos, made);
}
static OrtStatus *runNothing(void *session, const void *with, const char **names, const OrtValue **in, size_t ins, const char **results, size_t outs,
                             OrtValue **out) {
	sched_getaffinity(0, sizeof ran, &ran);
	return NULL;
}
static void freeStatus(void *status) { release(&statuses, status); }
static void freeOptions(void *made) { release(&options, made); }
static void freeDomain(void *made) { release(&domains, made); }

static const OrtApi table[300] __attribute__((aligned(4096))) = {
	[createSessionFromArray] = makeSession, [runSession] = runNothing, [createSessionOptions] = makeOptions, [setGraphOptimizationLevel] = setNumber,
	[enableProfiling] = profile, [setIntraOpNumThreads] = setNumber, [createCustomOpDomain] = makeDomain, [customOpDomainAdd] = add,
	[addCustomOpDomain] = add, [releaseStatus] = freeStatus, [releaseSessionOptions] = freeOptions, [releaseCustomOpDomain] = freeDomain,
	[addSessionConfigEntry] = setEntry, [disableMemPattern] = planNothing, [createCpuMemoryInfo] = makeInfo, [registerAllocator] = add,
};

static const OrtApi *getTable(uint32_t version) { return old ? NULL : table; }
static const char *getVersion(void) { return "1.30.0"; }

const OrtApiBase *OrtGetApiBase(void) {
	static const OrtApiBase base = {getTable, getVersion};
	return &base;
}
