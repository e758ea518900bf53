//go:build (linux || darwin) && cgo && (amd64 || arm64)

// Elementwise computes the programs of package fusion: operations number by number over tensors of float32, some hundred numbers at a time, which
// stay in a core's first cache from one operation to the next. Each number is that of ONNX Runtime's own operations, to the bit.

#include "programs_onnx.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { cache = 24 << 10 /* bytes for registers */, shortest = 128, longest = 1024, alone = 1 << 15 /* results that are worth a thread */ };

// What a program may have. So much is within a thread's stack, and no index of it overflows.
enum { mostAxes = 8, mostRegisters = 4096, mostInstructions = 1 << 20 };

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
	int64_t *reach; // how many numbers of each input are read, up to the last one
	Shape *out;
	const int64_t *code;
	atomic_int fits; // whether the inputs were seen to have as many: their lengths are the graph's, the same in each call
} Kernel;

static void destroyKernel(void *kernel) {
	Kernel *k = kernel;
	free(k->in);
	free(k->reach);
	free(k->out);
	free(k->program);
	free(k);
}

// readPlace reads where numbers are found, and how many the tensor must have; NULL, or what is wrong.
static const char *readPlace(Reading *r, int64_t size, Place *p, int64_t *reach) {
	int64_t offset = next(r), axes = next(r), product = 1;
	if (offset < -farthest || offset > farthest || axes < 0 || axes > mostAxes)
		return "vlpx: an operand of a program is nowhere";
	p->offset = offset;
	p->axes = axes;
	int64_t first = offset, last = offset;
	int none = 0; // all of it is outside of the tensor
	for (int64_t i = 0; i < axes; i++) {
		Axis a;
		a.length = next(r), a.stride = next(r), a.from = next(r), a.to = next(r);
		if (a.length < 1 || a.length > size / product || a.from < 0 || a.to < 0 || a.to > a.length ||
		    a.stride < -farthest / a.length || a.stride > farthest / a.length)
			return "vlpx: an axis of a program's operand is wrong";
		product *= a.length;
		none |= a.from >= a.to;
		*(a.stride < 0 ? &last : &first) += a.from * (none ? 0 : a.stride);
		*(a.stride < 0 ? &first : &last) += (a.to - 1) * (none ? 0 : a.stride);
		p->axis[i] = a;
	}
	if (product != size)
		return "vlpx: a program's operand has another number of numbers";
	if (!none && first < 0)
		return "vlpx: a program's operand begins before its tensor";
	*reach = none ? 0 : last + 1;
	return NULL;
}

// readInstructions tells what is wrong with a program's instructions: only what was written is read, of an input nothing is overwritten, and
// each output is written.
static const char *readInstructions(Reading *r, const Kernel *k) {
	int64_t registers = k->inputs + k->outputs + k->temporaries;
	char written[mostRegisters] = {0};
	memset(written, 1, k->inputs);
	for (int64_t i = 0; i < k->instructions; i++) {
		int64_t code = next(r), to = next(r);
		if (code < ADD || code > WHERE || code == KEEP && (k->instructions != 1 || registers != 2 || k->in[0].axes == 0))
			return "vlpx: an instruction of a program is none";
		for (int j = 0; j < 3; j++) {
			int64_t of = next(r);
			if (of < 0 || of >= registers || !written[of])
				return "vlpx: an instruction of a program reads what is not there";
		}
		if (to < k->inputs || to >= registers)
			return "vlpx: an instruction of a program writes where it may not";
		written[to] = 1;
	}
	if (memchr(written + k->inputs, 0, k->outputs) != NULL)
		return "vlpx: a program does not compute one of its outputs";
	return r->at == r->end ? NULL : "vlpx: a program is longer than it says";
}

// readProgram tells what is wrong with a program. What it lets through reads and writes within its operands, if these have the numbers that
// they must have.
static const char *readProgram(Kernel *k, size_t length) {
	Reading r = {k->program, k->program + length};
	k->size = next(&r), k->inputs = next(&r), k->outputs = next(&r), k->temporaries = next(&r), k->instructions = next(&r);
	if (k->size < 1 || k->size > farthest || k->inputs < 1 || k->inputs > mostRegisters || k->outputs < 1 || k->outputs > mostRegisters ||
	    k->temporaries < 0 || k->temporaries > mostRegisters || k->inputs + k->outputs + k->temporaries > mostRegisters ||
	    k->instructions < 1 || k->instructions > mostInstructions)
		return "vlpx: a program has too much or too little";
	k->in = calloc(k->inputs, sizeof(Place));
	k->reach = calloc(k->inputs, sizeof(int64_t));
	k->out = calloc(k->outputs, sizeof(Shape));
	if (k->in == NULL || k->reach == NULL || k->out == NULL)
		return noMemory;
	for (int64_t i = 0; i < k->inputs; i++) {
		const char *wrong = readPlace(&r, k->size, &k->in[i], &k->reach[i]);
		if (wrong != NULL)
			return wrong;
	}
	for (int64_t i = 0; i < k->outputs; i++) {
		int64_t axes = next(&r), product = 1;
		if (axes < 0 || axes > r.end - r.at)
			return "vlpx: an output of a program is longer than the program";
		k->out[i].axes = axes;
		k->out[i].dims = r.at;
		for (; axes > 0; axes--) {
			int64_t length = next(&r);
			if (length < 1 || length > k->size / product)
				return "vlpx: an axis of a program's output is wrong";
			product *= length;
		}
		if (product != k->size)
			return "vlpx: an output of a program has another number of numbers";
	}
	k->code = r.at;
	k->block = cache / sizeof(float) / (k->inputs + k->outputs + k->temporaries);
	k->block = k->block < shortest ? shortest : k->block > longest ? longest : k->block & ~(int64_t)15;
	return readInstructions(&r, k);
}

// createKernel reads a program and what ONNX Runtime knows of the operation that it is of. A program that is wrong makes no session.
static OrtStatus *createKernel(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **kernel) {
	Given given;
	OrtStatus *status = readGiven(api, info, &given);
	if (status != NULL)
		return status;
	Kernel *k = calloc(1, sizeof(Kernel));
	if (k == NULL) {
		free(given.program);
		return fail(api, noMemory);
	}
	k->api = api;
	k->program = given.program;
	const char *wrong = readProgram(k, given.length);
	if (wrong == NULL && (k->inputs != given.inputs || k->outputs != given.outputs))
		wrong = "vlpx: a program has other inputs or outputs than its operation";
	if (wrong != NULL) {
		destroyKernel(k);
		return fail(api, wrong);
	}
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
		for (int64_t i = 0; i < first; i++)
			to[i] = 0;
		if (first == end)
			; // nothing of it is in the tensor
		else if (stride == 1)
			memcpy(to + first, base + (at + first), (end - first) * sizeof(float));
		else if (stride == 0)
			for (int64_t i = first; i < end; i++)
				to[i] = base[at];
		else
			for (int64_t i = first; i < end; i++)
				to[i] = base[at + i * stride];
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
	Kernel *k = kernel;
	OrtStatus *(*input)(const OrtKernelContext *, size_t, const OrtValue **) = k->api[kernelContextGetInput];
	OrtStatus *(*output)(OrtKernelContext *, size_t, const int64_t *, size_t, OrtValue **) = k->api[kernelContextGetOutput];
	OrtStatus *(*data)(OrtValue *, void **) = k->api[getTensorMutableData];
	const float *in[k->inputs];
	float *out[k->outputs];
	OrtStatus *status = NULL;
	for (int64_t i = 0; i < k->inputs; i++) {
		OrtValue *v;
		if ((status = input(context, i, (const OrtValue **)&v)) != NULL || (status = data(v, (void **)&in[i])) != NULL ||
		    !atomic_load(&k->fits) && (status = fits(k->api, v, k->reach[i])) != NULL)
			return status;
	}
	atomic_store(&k->fits, 1);
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

OPERATION(elementwise, "Elementwise");
