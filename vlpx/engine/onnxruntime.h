// What of ONNX Runtime's C interface is used here. Its functions are a table, OrtApi, to which versions only ever append
// (onnxruntime_c_api.h); they are called by their places in it. Each version has a table of its own name, which is the same memory.

#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtValue OrtValue;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef void *OrtApi;

typedef struct {
	const OrtApi *(*GetApi)(uint32_t version); // NULL where the library is older
	const char *(*GetVersionString)(void);
} OrtApiBase;

// 1.17 is the oldest version that has all that is used, 1.30 the oldest that is known to let threads spin for a time that one sets.
enum { oldestVersion = 17, spinningVersion = 30 };

enum {
	createStatus = 0,
	createSessionFromArray = 8,
	runSession = 9,
	createSessionOptions = 10,
	enableProfiling = 14,
	disableMemPattern = 17,
	setGraphOptimizationLevel = 23,
	setIntraOpNumThreads = 24,
	createCustomOpDomain = 26,
	customOpDomainAdd = 27,
	addCustomOpDomain = 28,
	getTensorMutableData = 51,
	getTensorShapeElementCount = 64,
	getTensorTypeAndShape = 65,
	createCpuMemoryInfo = 69,
	kernelContextGetInput = 90,
	kernelContextGetOutput = 91,
	releaseStatus = 93,
	releaseTensorTypeAndShapeInfo = 99,
	releaseSessionOptions = 100,
	releaseCustomOpDomain = 101,
	addSessionConfigEntry = 130,
	kernelInfoGetAttributeArrayInt64 = 163,
	registerAllocator = 176,
	kernelInfoGetInputCount = 230,
	kernelInfoGetOutputCount = 231,
	kernelContextParallelFor = 274,
};

// OrtCustomOp is an operation that a program adds, as of version 17.
typedef struct OrtCustomOp {
	uint32_t version;
	void *(*CreateKernel)(const struct OrtCustomOp *, const OrtApi *, const OrtKernelInfo *);
	const char *(*GetName)(const struct OrtCustomOp *);
	const char *(*GetExecutionProviderType)(const struct OrtCustomOp *);
	int (*GetInputType)(const struct OrtCustomOp *, size_t);
	size_t (*GetInputTypeCount)(const struct OrtCustomOp *);
	int (*GetOutputType)(const struct OrtCustomOp *, size_t);
	size_t (*GetOutputTypeCount)(const struct OrtCustomOp *);
	void (*KernelCompute)(void *, OrtKernelContext *);
	void (*KernelDestroy)(void *);
	int (*GetInputCharacteristic)(const struct OrtCustomOp *, size_t);
	int (*GetOutputCharacteristic)(const struct OrtCustomOp *, size_t);
	int (*GetInputMemoryType)(const struct OrtCustomOp *, size_t);
	int (*GetVariadicInputMinArity)(const struct OrtCustomOp *);
	int (*GetVariadicInputHomogeneity)(const struct OrtCustomOp *);
	int (*GetVariadicOutputMinArity)(const struct OrtCustomOp *);
	int (*GetVariadicOutputHomogeneity)(const struct OrtCustomOp *);
	OrtStatus *(*CreateKernelV2)(const struct OrtCustomOp *, const OrtApi *, const OrtKernelInfo *, void **);
	OrtStatus *(*KernelComputeV2)(void *, OrtKernelContext *);
	OrtStatus *(*InferOutputShapeFn)(const struct OrtCustomOp *, void *);
	int (*GetStartVersion)(const struct OrtCustomOp *);
	int (*GetEndVersion)(const struct OrtCustomOp *);
} OrtCustomOp;

// OrtAllocator gives memory, as of version 17.
typedef struct OrtAllocator {
	uint32_t version;
	void *(*Alloc)(struct OrtAllocator *, size_t);
	void (*Free)(struct OrtAllocator *, void *);
	const OrtMemoryInfo *(*Info)(const struct OrtAllocator *);
} OrtAllocator;

// askForHeap has sessions with these options take the memory of tensors from the heap that shareHeap gives to their environment.
OrtStatus *askForHeap(const OrtApi *api, OrtSessionOptions *options);
void shareHeap(const OrtApi *api, const OrtEnv *env);

// shareCores gives each of as many threads a core of its own, if the process may use as many. keepToCores has sessions with these options
// do so, and keepRunToCore is the function that runs one so in the place of runs, the library's.
void shareCores(int threads);
OrtStatus *keepToCores(const OrtApi *api, OrtSessionOptions *options);
void *keepRunToCore(void *runs);

enum { floatTensor = 1, variadic = 2, failed = 1 /* ORT_FAIL */ };

// The operations that package fusion writes.
extern const OrtCustomOp elementwise, convolution, pool, products;

extern int sessionThreads; // with which an operation is computed
