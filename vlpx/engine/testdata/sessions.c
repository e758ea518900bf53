// A program that has each call into a library that stands for ONNX Runtime fail, the first argument, and counts what is left. Two other
// files are no library, and one that is no ONNX Runtime.

#include "../cores_onnx.c"
#include "../memory_onnx.c"
#include "../sessions_onnx.c"

#include <string.h>

const OrtCustomOp elementwise, convolution, pool, products;
int setSessions(const char *path, int n, int fuse, int writable, const char **why);
int profileSessions(const char *prefix);

static int readable = 1; // whether models can be fused

void *fuseModel(void *model, size_t length, size_t *fusedLength) {
	if (!readable)
		return NULL;
	char *fused = malloc(length + 1);
	memcpy(fused, model, length);
	fused[length] = 1;
	*fusedLength = length + 1;
	return fused;
}

static void check(int holds, const char *what) {
	if (!holds) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

// unchange gives the library its own functions back.
static void unchange(const OrtApi *table) {
	const Change changes[] = {
		{createSessionOptions, table[createSessionOptions]}, {createSessionFromArray, table[createSessionFromArray]}, {runSession, table[runSession]}
	};
	check(replace(changes, 3), "the table");
}

// checkCores holds the cores of the threads that compute to those of the process, of which some make it, and returns how many there are.
static int checkCores(const char *library, const OrtApi *now, const OrtApi *table, char *affinities, const cpu_set_t *ran) {
	cpu_set_t all, after;
	check(sched_getaffinity(0, sizeof all, &all) == 0, "the cores of this process");
	int cores = CPU_COUNT(&all);
	for (int threads = 1; threads <= cores + 1; threads++) {
		const char *why;
		int bound = threads == cores && threads > 1;
		cpu_set_t shared;
		unchange(table);
		affinities[0] = 0;
		check(setSessions(library, threads, 0, 1, &why), "sessions are not set");
		OrtSessionOptions *with = NULL;
		check(((OptionsFunction)now[createSessionOptions])(&with) == NULL, "options");
		((ReleaseFunction)now[releaseSessionOptions])(with);
		((RunFunction)now[runSession])(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL);
		shared = *ran;
		check(CPU_COUNT(&shared) == (bound ? 1 : cores), "the cores of a run");
		check((affinities[0] != 0) == bound, "cores of threads");
		for (const char *at = affinities; bound && at != NULL; at = strchr(at, ';'), at += at != NULL) {
			int core = atoi(at) - 1;
			check(CPU_ISSET(core, &all) && !CPU_ISSET(core, &shared), "a core that is another one's");
			CPU_SET(core, &shared);
		}
		check(!bound || CPU_EQUAL(&shared, &all), "a core without a thread");
		check(sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&after, &all), "the thread is kept to its core");
	}
	return cores;
}

int main(int n, char **argument) {
	const char *why;
	check(!setSessions("nowhere.so", 1, 1, 1, &why) && why != NULL, "a library that is not there");
	check(!setSessions(argument[2], 1, 1, 1, &why) && why != NULL, "a library that is no ONNX Runtime");

	void *library = dlopen(argument[1], RTLD_NOW);
	check(library != NULL, "the library");
	int *failAt = dlsym(library, "failAt"), *calls = dlsym(library, "calls"), *old = dlsym(library, "old"), *statuses = dlsym(library, "statuses");
	int *options = dlsym(library, "options"), *domains = dlsym(library, "domains"), *sessions = dlsym(library, "sessions");
	size_t *modelLength = dlsym(library, "modelLength");
	int *profiled = dlsym(library, "profiled");
	*old = 1;
	check(!setSessions(argument[1], 1, 1, 1, &why) && strstr(why, "older") != NULL, "an old library");
	*old = 0;
	check(!setSessions(argument[1], 1, 1, 0, &why) && strstr(why, "table") != NULL, "a table that cannot be changed");
	check(*calls == 0 && *domains == 0, "something was made of it");

	OrtApi table[300]; // as it was
	const OrtApiBase *(*base)(void) = (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
	const OrtApi *now = base()->GetApi(oldestVersion);
	memcpy(table, now, sizeof table);
	for (int fuse = 0; fuse < 2; fuse++)
		for (int fails = 0; fails < 18; fails++) {
			unchange(table);
			*failAt = fails, *calls = 0;
			check(setSessions(argument[1], 3, fuse, 1, &why), "sessions are not set");
			check((why != NULL) == (fuse && fails > 0 && *calls >= fails), "why");
			check(*statuses == 0, "a status was not released");
			check(*domains == (fuse && why == NULL), "a domain was not released");
			int fused = fuse && why == NULL;
			check(profileSessions("elsewhere/session") == fused, "profiles of graphs that are fused alone");
			check(profileSessions(fails % 2 ? "folder/session" : NULL) == fused, "profiles");
			*profiled = 0;

			OrtSessionOptions *with = NULL;
			OptionsFunction create = (OptionsFunction)now[createSessionOptions];
			OrtStatus *status = create(&with);
			check((status == NULL) == (with != NULL) && *options == (with != NULL), "options were not released");
			check(with == NULL || *profiled == (fused && fails % 2), "sessions are profiled while they are to be");
			profileSessions(NULL);
			for (readable = 0; with != NULL && readable < 2; readable++) {
				OrtSession *session = NULL;
				char *model = calloc(5, 1);
				SessionFunction begin = (SessionFunction)now[createSessionFromArray];
				OrtStatus *failed = begin((OrtEnv *)&table[2 * fails + readable], model, 5, with, &session);
				check(*modelLength == 5 + (fused && readable), "the model");
				check((failed == NULL) == (session != NULL), "a session");
				if (failed != NULL)
					((ReleaseFunction)now[releaseStatus])(failed);
				free(session);
				free(model);
			}
			if (status != NULL)
				((ReleaseFunction)now[releaseStatus])(status);
			if (with != NULL)
				((ReleaseFunction)now[releaseSessionOptions])(with);
			if (domain != NULL)
				((ReleaseFunction)now[releaseCustomOpDomain])(domain);
			check(*statuses == 0 && *options == 0 && *domains == 0, "something is left");
		}
	*failAt = 0;
	int cores = checkCores(argument[1], now, table, dlsym(library, "affinities"), dlsym(library, "ran"));
	printf("%d sessions, %d cores\n", *sessions, cores);
	return 0;
}
