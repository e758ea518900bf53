// What the operations of package fusion have in common: each is told by a program, whole numbers that say what is computed and where its
// operands lie. A program is checked once, when its kernel is made, and computes what it says or is refused.

#include "onnxruntime.h"

#include <stdlib.h>

static const int64_t farthest = (int64_t)1 << 40; // no place, length or stride is larger, so that no index overflows

// WIDE functions are compiled for the widest vectors of a core, too.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

static const char noMemory[] = "vlpx: there is no memory for a program";

static inline OrtStatus *fail(const OrtApi *api, const char *why) {
	OrtStatus *(*create)(int, const char *) = api[createStatus];
	return create(failed, why);
}

// Given is what ONNX Runtime knows of an operation.
typedef struct {
	int64_t *program; // the caller frees it
	size_t length, inputs, outputs;
} Given;

static inline OrtStatus *readGiven(const OrtApi *api, const OrtKernelInfo *info, Given *given) {
	OrtStatus *(*attribute)(const OrtKernelInfo *, const char *, int64_t *, size_t *) = api[kernelInfoGetAttributeArrayInt64];
	OrtStatus *(*countInputs)(const OrtKernelInfo *, size_t *) = api[kernelInfoGetInputCount];
	OrtStatus *(*countOutputs)(const OrtKernelInfo *, size_t *) = api[kernelInfoGetOutputCount];
	given->length = 0;
	OrtStatus *status = attribute(info, "program", NULL, &given->length);
	if (status != NULL || (status = countInputs(info, &given->inputs)) != NULL || (status = countOutputs(info, &given->outputs)) != NULL)
		return status;
	given->program = calloc(given->length + 1, sizeof(int64_t));
	if (given->program == NULL)
		return fail(api, noMemory);
	if ((status = attribute(info, "program", given->program, &given->length)) != NULL)
		free(given->program);
	return status;
}

// Reading is what is left of a program. A number behind its end is -1, which is wrong wherever it stands.
typedef struct {
	const int64_t *at, *end;
} Reading;

static inline int64_t next(Reading *r) { return r->at < r->end ? *r->at++ : -1; }

// readShape reads the end of a program, which says how many axes an output of so many numbers has, and their lengths. It returns NULL, or
// what is wrong.
static inline const char *readShape(Reading *r, int64_t numbers, int64_t *axes, const int64_t **dims) {
	*axes = next(r);
	*dims = r->at;
	if (*axes < 0 || *axes != r->end - r->at)
		return "vlpx: a program has another length";
	int64_t product = 1;
	for (int64_t i = 0; i < *axes; product *= r->at[i++])
		if (r->at[i] < 1 || r->at[i] > numbers / product)
			return "vlpx: an axis of a program's output is wrong";
	return product == numbers ? NULL : "vlpx: a program's output has another number of numbers";
}

// fits tells whether a tensor has the numbers that a program reads of it.
static inline OrtStatus *fits(const OrtApi *api, const OrtValue *v, int64_t reach) {
	OrtStatus *(*describe)(const OrtValue *, OrtTensorTypeAndShapeInfo **) = api[getTensorTypeAndShape];
	OrtStatus *(*count)(const OrtTensorTypeAndShapeInfo *, size_t *) = api[getTensorShapeElementCount];
	void (*release)(OrtTensorTypeAndShapeInfo *) = api[releaseTensorTypeAndShapeInfo];
	OrtTensorTypeAndShapeInfo *about;
	OrtStatus *status = describe(v, &about);
	if (status != NULL)
		return status;
	size_t numbers = 0;
	if ((status = count(about, &numbers)) == NULL && numbers < (size_t)reach)
		status = fail(api, "vlpx: a program reads behind the end of a tensor");
	release(about);
	return status;
}

// inParts computes the parts of an operation, several at a time where there are several.
static inline OrtStatus *inParts(const OrtApi *api, const OrtKernelContext *context, void (*part)(void *, size_t), size_t parts, void *about) {
	if (parts == 1) {
		part(about, 0);
		return NULL;
	}
	OrtStatus *(*parallel)(const OrtKernelContext *, void (*)(void *, size_t), size_t, size_t, void *) = api[kernelContextParallelFor];
	return parallel(context, part, parts, 0, about);
}

static inline const char *processor(const OrtCustomOp *op) { return NULL; } // any processor
static inline int type(const OrtCustomOp *op, size_t i) { return floatTensor; }
static inline size_t one(const OrtCustomOp *op) { return 1; }
static inline int many(const OrtCustomOp *op, size_t i) { return variadic; }
static inline int place(const OrtCustomOp *op, size_t i) { return 0; }
static inline int least(const OrtCustomOp *op) { return 1; }
static inline int version(const OrtCustomOp *op) { return 1; }

// OPERATION is one of any number of tensors of float32, by what its file has: a Kernel with an api and a program, readProgram, which tells what is
// wrong with that or NULL, computeKernel and destroyKernel, which frees the program, too. A program that is wrong makes no session.
#define OPERATION(operation, called) \
	static OrtStatus *createKernel(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **kernel) { \
		Given given; \
		OrtStatus *status = readGiven(api, info, &given); \
		if (status != NULL) \
			return status; \
		Kernel *k = calloc(1, sizeof(Kernel)); \
		if (k == NULL) { \
			free(given.program); \
			return fail(api, noMemory); \
		} \
		k->api = api; \
		k->program = given.program; \
		const char *wrong = readProgram(k, &given); \
		if (wrong != NULL) { \
			destroyKernel(k); \
			return fail(api, wrong); \
		} \
		*kernel = k; \
		return NULL; \
	} \
	static const char *name(const OrtCustomOp *op) { return called; } \
	const OrtCustomOp operation = { \
		.version = oldestVersion, .GetName = name, .GetExecutionProviderType = processor, .GetInputType = type, .GetInputTypeCount = one, \
		.GetOutputType = type, .GetOutputTypeCount = one, .KernelDestroy = destroyKernel, .GetInputCharacteristic = many, \
		.GetOutputCharacteristic = many, .GetInputMemoryType = place, .GetVariadicInputMinArity = least, \
		.GetVariadicInputHomogeneity = least, .GetVariadicOutputMinArity = least, .GetVariadicOutputHomogeneity = least, \
		.CreateKernelV2 = createKernel, .KernelComputeV2 = computeKernel, .GetStartVersion = version, .GetEndVersion = version, \
	}
