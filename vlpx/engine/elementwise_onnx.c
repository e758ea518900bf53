//go:build linux && cgo && (amd64 || arm64)

// Elementwise computes the programs of package fusion: operations number by number over tensors of float32, some hundred numbers at a time, which
// stay in a core's first cache from one operation to the next. Each number is that of ONNX Runtime's own operations, to the bit.

#include "onnxruntime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { mostAxes = 8, cache = 24 << 10 /* bytes for registers */, shortest = 128, longest = 1024, alone = 1 << 15 /* results that are worth a thread */ };

enum { ADD, SUB, MUL, DIV, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, EQUAL, NEG, SQRT, ABS, KEEP, WHERE };

typedef struct {
	int64_t length, stride, from, to;
} Axis;

// Place is where an operation finds numbers (operand of package fusion).
typedef struct {
	int64_t offset;
	int axes;
	Axis axis[mostAxes];
} Place;

static int inside(const Axis *a) { return a->from == 0 && a->to == a->length; }
static int lies(const Place *p) { return p->axes == 1 && p->axis[0].stride == 1 && inside(&p->axis[0]); }
static int repeats(const Place *p) { return p->axes == 0 || p->axes == 1 && p->axis[0].stride == 0 && inside(&p->axis[0]); }

typedef struct {
	int64_t axes;
	const int64_t *dims;
} Shape;

typedef struct {
	const OrtApi *api;
	int64_t *program;
	int64_t size, inputs, outputs, temporaries, instructions;
	int64_t block; // numbers of a register
	Place *in;
	Shape *out;
	const int64_t *code;
} Kernel;

static void destroyKernel(void *kernel) {
	Kernel *k = kernel;
	free(k->in);
	free(k->out);
	free(k->program);
	free(k);
}

static OrtStatus *createKernel(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **kernel) {
	OrtStatus *(*attribute)(const OrtKernelInfo *, const char *, int64_t *, size_t *) = api[kernelInfoGetAttributeArrayInt64];
	size_t length = 0;
	OrtStatus *status = attribute(info, "program", NULL, &length);
	if (status != NULL)
		return status;
	Kernel *k = calloc(1, sizeof(Kernel));
	k->api = api;
	k->program = malloc(length * sizeof(int64_t));
	if ((status = attribute(info, "program", k->program, &length)) != NULL) {
		destroyKernel(k);
		return status;
	}
	const int64_t *p = k->program;
	k->size = *p++, k->inputs = *p++, k->outputs = *p++, k->temporaries = *p++, k->instructions = *p++;
	k->in = calloc(k->inputs, sizeof(Place));
	k->out = calloc(k->outputs, sizeof(Shape));
	for (int64_t i = 0; i < k->inputs; i++) {
		k->in[i].offset = *p++;
		k->in[i].axes = *p++;
		memcpy(k->in[i].axis, p, k->in[i].axes * sizeof(Axis));
		p += 4 * k->in[i].axes;
	}
	for (int64_t i = 0; i < k->outputs; i++) {
		k->out[i].axes = *p++;
		k->out[i].dims = p;
		p += k->out[i].axes;
	}
	k->code = p;
	k->block = cache / sizeof(float) / (k->inputs + k->outputs + k->temporaries);
	k->block = k->block < shortest ? shortest : k->block > longest ? longest : k->block & ~(int64_t)15;
	*kernel = k;
	return NULL;
}

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

// fetch copies n numbers of a tensor, of those that an operation sees of it from number begin on.
WIDE static void fetch(const Place *p, const float *base, int64_t begin, int64_t n, float *restrict to) {
	int64_t index[mostAxes], at = p->offset, rest = begin, outside = 0;
	int last = p->axes - 1;
	for (int i = last; i >= 0; i--) {
		const Axis *a = &p->axis[i];
		index[i] = rest % a->length;
		rest /= a->length;
		at += index[i] * a->stride;
		outside += i < last && (index[i] < a->from || index[i] >= a->to);
	}
	const Axis *inner = &p->axis[last];
	int64_t stride = inner->stride;
	while (n > 0) {
		int64_t run = inner->length - index[last];
		if (run > n)
			run = n;
		int64_t first = inner->from - index[last], end = inner->to - index[last]; // within the run, inside of the tensor
		first = outside || first > run ? run : first < 0 ? 0 : first;
		end = outside || end < first ? first : end > run ? run : end;
		const float *from = base + at;
		for (int64_t i = 0; i < first; i++)
			to[i] = 0;
		if (stride == 1)
			memcpy(to + first, from + first, (end - first) * sizeof(float));
		else if (stride == 0)
			for (int64_t i = first; i < end; i++)
				to[i] = *from;
		else
			for (int64_t i = first; i < end; i++)
				to[i] = from[i * stride];
		for (int64_t i = end; i < run; i++)
			to[i] = 0;
		to += run;
		n -= run;
		at -= index[last] * stride;
		index[last] = 0;
		for (int i = last - 1; i >= 0; i--) {
			const Axis *a = &p->axis[i];
			outside -= index[i] < a->from || index[i] >= a->to;
			at += a->stride;
			if (++index[i] < a->length) {
				outside += index[i] < a->from || index[i] >= a->to;
				break;
			}
			at -= a->stride * a->length;
			index[i] = 0;
			outside += 0 < a->from || 0 >= a->to;
		}
	}
}

// The operands of an operation never overlap its result but where they are the same.
#define EACH(expression) \
	_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) to[i] = expression; \
	break

// roots are by hand, since compilers keep sqrtf, which sets errno, from computing several at a time.
static void roots(float *to, const float *a, int64_t n) {
	int64_t i = 0;
#ifdef __SSE__
	for (; i + 4 <= n; i += 4)
		_mm_storeu_ps(to + i, _mm_sqrt_ps(_mm_loadu_ps(a + i)));
#endif
	for (; i < n; i++)
		to[i] = sqrtf(a[i]);
}

WIDE static void compute(const Kernel *k, float **registers, int64_t n) {
	const int64_t *code = k->code;
	for (int64_t step = 0; step < k->instructions; step++, code += 5) {
		float *to = registers[code[1]];
		const float *a = registers[code[2]], *b = registers[code[3]], *c = registers[code[4]];
		switch (code[0]) {
		case ADD:
			EACH(a[i] + b[i]);
		case SUB:
			EACH(a[i] - b[i]);
		case MUL:
			EACH(a[i] * b[i]);
		case DIV:
			EACH(a[i] / b[i]);
		case GREATER:
			EACH(a[i] > b[i]);
		case GREATER_OR_EQUAL:
			EACH(a[i] >= b[i]);
		case LESS:
			EACH(a[i] < b[i]);
		case LESS_OR_EQUAL:
			EACH(a[i] <= b[i]);
		case EQUAL:
			EACH(a[i] == b[i]);
		case NEG:
			EACH(-a[i]);
		case SQRT:
			roots(to, a, n);
			break;
		case ABS:
			EACH(fabsf(a[i]));
		case WHERE:
			EACH(a[i] != 0 ? b[i] : c[i]);
		}
	}
}

typedef struct {
	const Kernel *kernel;
	const float **in;
	float **out;
	int64_t part; // numbers that one call computes
} Work;

static void computePart(void *about, size_t which) {
	const Work *w = about;
	const Kernel *k = w->kernel;
	int64_t registers = k->inputs + k->outputs + k->temporaries, begin = which * w->part, end = begin + w->part;
	if (end > k->size)
		end = k->size;
	float *at[registers], memory[registers * k->block] __attribute__((aligned(64)));
	for (int64_t r = 0; r < registers; r++)
		at[r] = memory + r * k->block;
	for (int64_t i = 0; i < k->inputs; i++)
		if (repeats(&k->in[i]))
			for (int64_t j = 0; j < k->block; j++)
				at[i][j] = w->in[i][k->in[i].offset];
	if (k->code[0] == KEEP) { // alone in its program
		fetch(&k->in[0], w->in[0], begin, end - begin, w->out[0] + begin);
		return;
	}
	for (int64_t n; begin < end; begin += n) {
		n = end - begin < k->block ? end - begin : k->block;
		for (int64_t i = 0; i < k->inputs; i++) {
			if (lies(&k->in[i]))
				at[i] = (float *)w->in[i] + k->in[i].offset + begin;
			else if (!repeats(&k->in[i]))
				fetch(&k->in[i], w->in[i], begin, n, at[i]);
		}
		for (int64_t i = 0; i < k->outputs; i++)
			at[k->inputs + i] = w->out[i] + begin;
		compute(k, at, n);
	}
}

static OrtStatus *computeKernel(void *kernel, OrtKernelContext *context) {
	const Kernel *k = kernel;
	OrtStatus *(*input)(const OrtKernelContext *, size_t, const OrtValue **) = k->api[kernelContextGetInput];
	OrtStatus *(*output)(OrtKernelContext *, size_t, const int64_t *, size_t, OrtValue **) = k->api[kernelContextGetOutput];
	OrtStatus *(*data)(OrtValue *, void **) = k->api[getTensorMutableData];
	const float *in[k->inputs];
	float *out[k->outputs];
	OrtStatus *status = NULL;
	for (int64_t i = 0; i < k->inputs; i++) {
		OrtValue *v;
		if ((status = input(context, i, (const OrtValue **)&v)) != NULL || (status = data(v, (void **)&in[i])) != NULL)
			return status;
	}
	for (int64_t i = 0; i < k->outputs; i++) {
		OrtValue *v;
		if ((status = output(context, i, k->out[i].dims, k->out[i].axes, &v)) != NULL || (status = data(v, (void **)&out[i])) != NULL)
			return status;
	}
	int64_t parts = k->size * k->instructions / alone;
	parts = parts < 1 ? 1 : parts > 64 ? 64 : parts;
	int64_t blocks = (k->size + k->block - 1) / k->block;
	Work w = {k, in, out, (blocks + parts - 1) / parts * k->block};
	parts = (k->size + w.part - 1) / w.part;
	if (parts == 1) {
		computePart(&w, 0);
		return NULL;
	}
	OrtStatus *(*parallel)(const OrtKernelContext *, void (*)(void *, size_t), size_t, size_t, void *) = k->api[kernelContextParallelFor];
	return parallel(context, computePart, parts, 0, &w);
}

static const char *name(const OrtCustomOp *op) { return "Elementwise"; }
static const char *processor(const OrtCustomOp *op) { return NULL; } // any processor
static int type(const OrtCustomOp *op, size_t i) { return floatTensor; }
static size_t one(const OrtCustomOp *op) { return 1; }
static int many(const OrtCustomOp *op, size_t i) { return variadic; }
static int place(const OrtCustomOp *op, size_t i) { return 0; }
static int least(const OrtCustomOp *op) { return 1; }
static int version(const OrtCustomOp *op) { return 1; }

const OrtCustomOp elementwise = {
	.version = oldestVersion, .GetName = name, .GetExecutionProviderType = processor, .GetInputType = type, .GetInputTypeCount = one,
	.GetOutputType = type, .GetOutputTypeCount = one, .KernelDestroy = destroyKernel, .GetInputCharacteristic = many,
	.GetOutputCharacteristic = many, .GetInputMemoryType = place, .GetVariadicInputMinArity = least, .GetVariadicInputHomogeneity = least,
	.GetVariadicOutputMinArity = least, .GetVariadicOutputHomogeneity = least, .CreateKernelV2 = createKernel,
	.KernelComputeV2 = computeKernel, .GetStartVersion = version, .GetEndVersion = version,
};
