//go:build (linux || darwin) && cgo && (amd64 || arm64)

#include "onnxruntime.h"
#include "_cgo_export.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef OrtStatus *(*OptionsFunction)(OrtSessionOptions **);
typedef OrtStatus *(*NumberFunction)(OrtSessionOptions *, int);
typedef OrtStatus *(*EntryFunction)(OrtSessionOptions *, const char *key, const char *value);
typedef OrtStatus *(*PathFunction)(OrtSessionOptions *, const char *path);
typedef OrtStatus *(*SessionFunction)(const OrtEnv *, const void *model, size_t length, const OrtSessionOptions *, OrtSession **);
typedef OrtStatus *(*NewDomainFunction)(const char *name, OrtCustomOpDomain **);
typedef OrtStatus *(*DomainFunction)(OrtCustomOpDomain *, const OrtCustomOp *);
typedef OrtStatus *(*AddDomainFunction)(OrtSessionOptions *, OrtCustomOpDomain *);
typedef void (*ReleaseFunction)(void *);

static OrtApi *api;
static OptionsFunction createOptions;
static SessionFunction createSession;
static OrtCustomOpDomain *domain; // NULL where graphs stay as they are
static int spins;
int sessionThreads;
static char *profiles; // what the names of profiles begin with; NULL while sessions begin that are not profiled
static pthread_mutex_t profilesGuard = PTHREAD_MUTEX_INITIALIZER;

// createSetOptions takes the place of CreateSessionOptions.
static OrtStatus *createSetOptions(OrtSessionOptions **options) {
	*options = NULL;
	OrtStatus *status = createOptions(options);
	EntryFunction set = (EntryFunction)api[addSessionConfigEntry];
	if (status == NULL)
		status = ((NumberFunction)api[setIntraOpNumThreads])(*options, sessionThreads);
	if (status == NULL)
		status = spins ? set(*options, "session.intra_op.spin_duration_us", "20") : set(*options, "session.intra_op.allow_spinning", "0");
	if (status == NULL)
		status = ((NumberFunction)api[setGraphOptimizationLevel])(*options, 0); // ORT_DISABLE_ALL
	if (status == NULL)
		status = keepToCores(api, *options);
	if (status == NULL && domain != NULL)
		status = ((AddDomainFunction)api[addCustomOpDomain])(*options, domain);
	pthread_mutex_lock(&profilesGuard);
	// What the profiler notes of each operation would lie in holes of the heap that tensors are to come from again.
	if (status == NULL)
		status = profiles == NULL ? askForHeap(api, *options) : ((PathFunction)api[enableProfiling])(*options, profiles);
	pthread_mutex_unlock(&profilesGuard);
	if (status != NULL && *options != NULL) {
		((ReleaseFunction)api[releaseSessionOptions])(*options);
		*options = NULL;
	}
	return status;
}

// createFusedSession takes the place of CreateSessionFromArray. What cannot be read is left to ONNX Runtime to refuse.
static OrtStatus *createFusedSession(const OrtEnv *env, const void *model, size_t length, const OrtSessionOptions *options, OrtSession **session) {
	shareHeap(api, env);
	size_t fusedLength = 0;
	void *fused = domain == NULL ? NULL : fuseModel((void *)model, length, &fusedLength);
	if (fused == NULL)
		return createSession(env, model, length, options, session);
	OrtStatus *status = createSession(env, fused, fusedLength, options, session);
	free(fused);
	return status;
}

typedef struct {
	int place;
	void *by;
} Change;

// replace changes the library's table of functions, or does not, and tells whether it did.
static int replace(const Change *all, int n) {
	uintptr_t size = sysconf(_SC_PAGESIZE), from = UINTPTR_MAX, to = 0;
	for (const Change *c = all; c < all + n; c++) {
		uintptr_t at = (uintptr_t)&api[c->place];
		from = at < from ? at & ~(size - 1) : from;
		to = at >= to ? at + sizeof *api : to;
	}
	if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0)
		return 0;
	for (const Change *c = all; c < all + n; c++)
		api[c->place] = c->by;
	mprotect((void *)from, to - from, PROT_READ);
	return 1;
}

// newDomain has the operations that graphs are fused into; NULL where the library refuses it.
static OrtCustomOpDomain *newDomain(void) {
	OrtCustomOpDomain *made = NULL;
	OrtStatus *status = ((NewDomainFunction)api[createCustomOpDomain])("vlpx", &made);
	const OrtCustomOp *all[] = {&elementwise, &convolution, &pool, &products};
	for (int i = 0; status == NULL && i < sizeof all / sizeof *all; i++)
		status = ((DomainFunction)api[customOpDomainAdd])(made, all[i]);
	if (status == NULL)
		return made;
	((ReleaseFunction)api[releaseStatus])(status);
	if (made != NULL)
		((ReleaseFunction)api[releaseCustomOpDomain])(made);
	return NULL;
}

int setSessions(const char *path, int n, int fuse, int writable, const char **why) {
	*why = NULL;
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	const OrtApiBase *(*base)(void) = library == NULL ? NULL : (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
	if (base == NULL) {
		*why = dlerror();
		return 0;
	}
	api = (OrtApi *)base()->GetApi(oldestVersion);
	if (api == NULL) {
		*why = "it is older than ONNX Runtime 1.17";
		return 0;
	}
	sessionThreads = n;
	int version = 0;
	spins = sscanf(base()->GetVersionString(), "1.%d.", &version) == 1 && version >= spinningVersion;
	createOptions = (OptionsFunction)api[createSessionOptions];
	createSession = (SessionFunction)api[createSessionFromArray];
	shareCores(n);
	const Change changes[] = {
		{createSessionOptions, createSetOptions}, {createSessionFromArray, createFusedSession}, {runSession, keepRunToCore(api[runSession])}
	};
	if (!writable || !replace(changes, sizeof changes / sizeof *changes)) {
		*why = "its table of functions cannot be changed";
		return 0;
	}
	domain = fuse ? newDomain() : NULL;
	if (fuse && domain == NULL)
		*why = "it takes no operations from elsewhere";
	return 1;
}

int profileSessions(const char *prefix) {
	if (domain == NULL)
		return 0;
	pthread_mutex_lock(&profilesGuard);
	free(profiles);
	profiles = prefix == NULL ? NULL : strdup(prefix);
	pthread_mutex_unlock(&profilesGuard);
	return 1;
}
