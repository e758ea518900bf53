// A program that stands for ONNX Runtime before an operation of package engine, OPERATION_UNDER_TEST of the file SOURCE. It reads requests: a program, its inputs, and how many outputs its operation
// has. It answers with the outputs' numbers, or that the program was refused. All are 64-bit numbers but those of tensors, which are float32.
// Tensors have no byte more than their numbers, so that a sanitiser sees what is read or written next to them.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long spare = -1; // how many allocations succeed; all, if negative
static int64_t held;    // allocations that were not freed

static void *limited(size_t n, size_t size) {
	if (spare == 0)
		return NULL;
	spare -= spare > 0;
	held++;
	return (calloc)(n, size);
}

static void unlimited(void *p) {
	held -= p != NULL;
	(free)(p);
}

#define calloc limited
#define malloc(size) limited(1, size)
#define free unlimited
#include SOURCE
#undef calloc
#undef malloc
#undef free

int sessionThreads = 3;

static void check(int holds, const char *what) {
	if (!holds) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

struct OrtStatus { int code; };

struct OrtTensorTypeAndShapeInfo { size_t numbers; };

struct OrtValue {
	size_t numbers;
	float *data;
};

struct OrtKernelInfo {
	const int64_t *program;
	size_t length, inputs, outputs;
};

struct OrtKernelContext {
	const struct OrtKernelInfo *info;
	struct OrtValue *in, *out;
};

static struct OrtStatus wrong;

static OrtStatus *createAStatus(int code, const char *message) {
	check(message != NULL, "a status without a message");
	return &wrong;
}

static OrtStatus *getAttribute(const OrtKernelInfo *info, const char *name, int64_t *to, size_t *length) {
	if (to != NULL)
		memcpy(to, info->program, info->length * sizeof(int64_t));
	*length = info->length;
	return NULL;
}

static OrtStatus *getInputCount(const OrtKernelInfo *info, size_t *n) { return *n = info->inputs, NULL; }
static OrtStatus *getOutputCount(const OrtKernelInfo *info, size_t *n) { return *n = info->outputs, NULL; }

static OrtStatus *getInput(const OrtKernelContext *c, size_t i, const OrtValue **v) {
	check(i < c->info->inputs, "an input that is none");
	return *v = &c->in[i], NULL;
}

static OrtStatus *getOutput(OrtKernelContext *c, size_t i, const int64_t *dims, size_t axes, OrtValue **v) {
	check(i < c->info->outputs, "an output that is none");
	size_t n = 1;
	for (size_t axis = 0; axis < axes; axis++)
		n *= dims[axis];
	c->out[i].numbers = n;
	c->out[i].data = malloc(n * sizeof(float));
	return *v = &c->out[i], NULL;
}

static OrtStatus *getData(OrtValue *v, void **data) { return *data = v->data, NULL; }

static OrtStatus *describeValue(const OrtValue *v, OrtTensorTypeAndShapeInfo **about) {
	*about = malloc(sizeof(OrtTensorTypeAndShapeInfo));
	(*about)->numbers = v->numbers;
	return NULL;
}

static OrtStatus *countNumbers(const OrtTensorTypeAndShapeInfo *about, size_t *n) { return *n = about->numbers, NULL; }
static void releaseDescription(OrtTensorTypeAndShapeInfo *about) { free(about); }

static OrtStatus *inParallel(const OrtKernelContext *c, void (*part)(void *, size_t), size_t n, size_t batch, void *about) {
	for (size_t i = n; i-- > 0;)
		part(about, i);
	return NULL;
}

static OrtApi table[300] = {
	[createStatus] = createAStatus,
	[kernelInfoGetAttributeArrayInt64] = getAttribute,
	[kernelInfoGetInputCount] = getInputCount,
	[kernelInfoGetOutputCount] = getOutputCount,
	[kernelContextGetInput] = getInput,
	[kernelContextGetOutput] = getOutput,
	[getTensorMutableData] = getData,
	[getTensorTypeAndShape] = describeValue,
	[getTensorShapeElementCount] = countNumbers,
	[releaseTensorTypeAndShapeInfo] = releaseDescription,
	[kernelContextParallelFor] = inParallel,
};

static void take(void *to, size_t size, size_t n) { check(fread(to, size, n, stdin) == n, "a request that ends early"); }

static int64_t number(void) {
	int64_t n;
	take(&n, sizeof n, 1);
	return n;
}

static void answer(int64_t n) { fwrite(&n, sizeof n, 1, stdout); }

// made creates the operation's kernel. Each of its allocations fails once before, and nothing may be left of that.
static void *made(const OrtKernelInfo *info) {
	void *kernel = NULL;
	for (spare = 0; spare < 8; spare++) {
		long now = spare;
		if (OPERATION_UNDER_TEST.CreateKernelV2(&OPERATION_UNDER_TEST, table, info, &kernel) == NULL)
			break;
		check(held == 0, "a kernel that was refused left memory");
		spare = now;
	}
	spare = -1;
	return kernel;
}

// empty takes an operation's outputs away.
static void empty(struct OrtKernelContext *context) {
	for (size_t i = 0; i < context->info->outputs; i++)
		free(context->out[i].data);
	memset(context->out, 0, context->info->outputs * sizeof(struct OrtValue));
}

// computed has a kernel compute. Each of its allocations fails once before: that is to be told, and nothing may be left of it. A second call
// gives the same numbers.
static int computed(void *kernel, struct OrtKernelContext *context) {
	int done = 0;
	int64_t before = held;
	for (long allowed = 0; !done && allowed < 8; allowed++) {
		empty(context);
		spare = allowed;
		done = OPERATION_UNDER_TEST.KernelComputeV2(kernel, context) == NULL;
		check(held == before, "a call left memory");
	}
	spare = -1;
	if (!done)
		return 0;
	size_t outputs = context->info->outputs;
	struct OrtValue *first = context->out;
	context->out = calloc(outputs + 1, sizeof(struct OrtValue));
	check(OPERATION_UNDER_TEST.KernelComputeV2(kernel, context) == NULL, "a second call fails");
	for (size_t i = 0; i < outputs; i++) {
		check(memcmp(context->out[i].data, first[i].data, first[i].numbers * sizeof(float)) == 0, "a second call gives other numbers");
		free(first[i].data);
	}
	free(first);
	return 1;
}

int main(void) {
	int64_t length;
	while (fread(&length, sizeof length, 1, stdin) == 1) {
		struct OrtKernelInfo info = {.length = length};
		int64_t *program = malloc(length * sizeof(int64_t));
		take(program, sizeof(int64_t), length);
		info.program = program;
		info.inputs = number();
		info.outputs = number();
		struct OrtKernelContext context = {&info, calloc(info.inputs + 1, sizeof(struct OrtValue)), calloc(info.outputs + 1, sizeof(struct OrtValue))};
		for (size_t i = 0; i < info.inputs; i++) {
			struct OrtValue *v = &context.in[i];
			v->numbers = number();
			v->data = malloc(v->numbers * sizeof(float));
			take(v->data, sizeof(float), v->numbers);
		}
		void *kernel = made(&info);
		int done = kernel != NULL && computed(kernel, &context);
		answer(done);
		for (size_t i = 0; done && i < info.outputs; i++) {
			answer(context.out[i].numbers);
			fwrite(context.out[i].data, sizeof(float), context.out[i].numbers, stdout);
		}
		if (kernel != NULL)
			OPERATION_UNDER_TEST.KernelDestroy(kernel);
		check(held == 0, "a kernel left memory");
		for (size_t i = 0; i < info.inputs; i++)
			free(context.in[i].data);
		empty(&context);
		free(context.in);
		free(context.out);
		free(program);
	}
	return 0;
}
