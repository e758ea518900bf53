//go:build (linux || darwin) && cgo && (amd64 || arm64)

// Elementwise computes the programs of package fusion: operations number by number over tensors of float32, and sums of their rows, some hundred
// numbers at a time, which stay in a core's first cache from one operation to the next. Each number is that of ONNX Runtime's own operations, to
// the bit, but for sums, whose order is the same on every machine.

#include "programs_onnx.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { cache = 16 << 10 /* bytes for registers */, shortest = 128, longest = 1024, ofThread = 1 << 15 /* results that are worth one */ };

// Registers are so many numbers longer than what they hold, so that they do not all lie in the same lines of a cache.
enum { apart = 16 };

// What a program may have. So much is within a thread's stack, and no index of it overflows.
enum { mostAxes = 8, mostRegisters = 4096, mostInstructions = 1 << 20, mostColumns = 1024, mostOwn = 1 << 19 };

enum { ADD, SUB, MUL, DIV, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, EQUAL, NEG, SQRT, ABS, KEEP, SUM, WHERE, codes };

// One operand of an operation may be alone: a single number, for all of the others or for a row of them.
enum { firstAlone = codes, secondAlone = 2 * codes, thirdAlone = 3 * codes };

static int operands(int64_t code) { return code == WHERE ? 3 : code >= NEG ? 1 : 2; }

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

typedef struct {
	int64_t axes;
	const int64_t *dims;
} Shape;

// Kind is what a register holds.
enum { WHOLE /* numbers of the size of the program */, ROWS /* one a row of these */, COLUMNS /* a row, the same for all */, NUMBER /* one for all */ };

typedef struct {
	int64_t code, to, of[3]; // code with what is alone
	int byRow;
	int64_t next[3]; // how far an operand of the next row is
} Instruction;

typedef struct {
	const OrtApi *api;
	int64_t *program;
	int64_t size, columns /* of a row; 1 where there are no rows */, inputs, outputs, registers, instructions;
	int64_t block; // numbers that are computed at a time, of whole rows
	int64_t own;   // numbers of the registers that are in no tensor
	Place *in;
	int64_t *reach; // how many numbers of each input are read, up to the last one
	Shape *out;
	char *kind; // of each register
	Instruction *code;
	atomic_int fits; // whether the inputs were seen to have as many: their lengths are the graph's, the same in each call
} Kernel;

static void destroyKernel(void *kernel) {
	Kernel *k = kernel;
	free(k->in);
	free(k->reach);
	free(k->out);
	free(k->kind);
	free(k->code);
	free(k->program);
	free(k);
}

// numbersOf is how many numbers a register of a kind has in all, or -1.
static int64_t numbersOf(const Kernel *k, int64_t kind) {
	return kind == WHOLE ? k->size : kind == ROWS ? k->size / k->columns : kind == COLUMNS ? k->columns : kind == NUMBER ? 1 : -1;
}

// readPlace reads where numbers are found, how many they are, and how many the tensor must have; NULL, or what is wrong.
static const char *readPlace(Reading *r, int64_t most, Place *p, int64_t *numbers, int64_t *reach) {
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
		if (a.length < 1 || a.length > most / product || a.from < 0 || a.to < 0 || a.to > a.length ||
		    a.stride < -farthest / a.length || a.stride > farthest / a.length)
			return "vlpx: an axis of a program's operand is wrong";
		product *= a.length;
		none |= a.from >= a.to;
		*(a.stride < 0 ? &last : &first) += a.from * (none ? 0 : a.stride);
		*(a.stride < 0 ? &first : &last) += (a.to - 1) * (none ? 0 : a.stride);
		p->axis[i] = a;
	}
	*numbers = product;
	if (!none && first < 0)
		return "vlpx: a program's operand begins before its tensor";
	*reach = none ? 0 : last + 1;
	return NULL;
}

// readInstructions tells what is wrong with a program's instructions: only what was written is read, of an input nothing is overwritten, each
// output is written, numbers of rows are made of such, and one operand at most is alone.
static const char *readInstructions(Reading *r, Kernel *k) {
	char written[mostRegisters] = {0};
	memset(written, 1, k->inputs);
	for (Instruction *one = k->code; one < k->code + k->instructions; one++) {
		int64_t code = one->code = next(r);
		one->to = next(r);
		for (int j = 0; j < 3; j++)
			one->of[j] = next(r);
		if (code < ADD || code > WHERE)
			return "vlpx: an instruction of a program is none";
		if (one->to < k->inputs || one->to >= k->registers)
			return "vlpx: an instruction of a program writes where it may not";
		for (int j = 0; j < 3; j++) {
			int64_t of = one->of[j];
			if (of < 0 || of >= k->registers || !written[of])
				return "vlpx: an instruction of a program reads what is not there";
			int kind = k->kind[of], to = code == SUM ? WHOLE : k->kind[one->to];
			if (j >= operands(code) || kind == to)
				continue;
			int alone = kind == NUMBER || kind == ROWS && to == WHOLE;
			if (!alone && !(kind == COLUMNS && to == WHOLE) || code == SUM ||
			    alone && (one->code != code || code == WHERE && j == 0 || operands(code) == 1 && code != KEEP))
				return "vlpx: an operand of an instruction does not go with the others";
			one->code += alone ? (j + 1) * codes : 0;
			one->byRow |= kind != NUMBER;
		}
		for (int j = 0; one->byRow && j < operands(code); j++)
			one->next[j] = k->kind[one->of[j]] == WHOLE ? k->columns : k->kind[one->of[j]] == ROWS;
		if (code == SUM && k->kind[one->to] != ROWS)
			return "vlpx: a program sums rows, and has none";
		written[one->to] = 1;
	}
	if (memchr(written + k->inputs, 0, k->outputs) != NULL)
		return "vlpx: a program does not compute one of its outputs";
	return r->at == r->end ? NULL : "vlpx: a program is longer than it says";
}

// room is how many numbers a register takes that is in no tensor.
static int64_t room(const Kernel *k, int64_t r) { return (k->kind[r] == ROWS ? k->block / k->columns : k->block) + apart; }

// given tells whether a register is in a tensor.
static int given(const Kernel *k, int64_t r) {
	return r < k->inputs ? k->in[r].axes == 0 || lies(&k->in[r]) : r < k->inputs + k->outputs;
}

// divide finds how much of a program is computed at a time.
static void divide(Kernel *k) {
	int64_t whole = 0;
	for (int64_t r = 0; r < k->registers; r++)
		whole += k->kind[r] == WHOLE;
	k->block = cache / sizeof(float) / (whole + 1);
	k->block = k->block < shortest ? shortest : k->block > longest ? longest : k->block & ~(int64_t)15;
	if (k->columns > 1)
		k->block = k->columns > k->block ? k->columns : k->block / k->columns * k->columns;
	for (int64_t r = 0; r < k->registers; r++)
		k->own += given(k, r) ? 0 : room(k, r);
}

// readProgram tells what is wrong with a program. What it lets through reads and writes within its operands, if these have the numbers that
// they must have.
static const char *readProgram(Kernel *k, const Given *given) {
	Reading r = {k->program, k->program + given->length};
	k->size = next(&r), k->columns = next(&r), k->inputs = next(&r), k->outputs = next(&r);
	int64_t whole = next(&r), rows = next(&r); // registers that are in no tensor
	k->instructions = next(&r);
	if (k->size < 1 || k->size > farthest || k->inputs < 1 || k->inputs > mostRegisters || k->outputs < 1 || k->outputs > mostRegisters ||
	    whole < 0 || whole > mostRegisters || rows < 0 || rows > mostRegisters || k->instructions < 1 || k->instructions > mostInstructions)
		return "vlpx: a program has too much or too little";
	if (k->columns < 1 || k->columns > mostColumns || k->size % k->columns != 0 || k->columns == 1 && rows > 0)
		return "vlpx: a program has no whole rows";
	k->registers = k->inputs + k->outputs + whole + rows;
	if (k->registers > mostRegisters)
		return "vlpx: a program has too many registers";
	k->in = calloc(k->inputs, sizeof(Place));
	k->reach = calloc(k->inputs, sizeof(int64_t));
	k->out = calloc(k->outputs, sizeof(Shape));
	k->kind = calloc(k->registers, 1);
	k->code = calloc(k->instructions, sizeof(Instruction));
	if (k->in == NULL || k->reach == NULL || k->out == NULL || k->kind == NULL || k->code == NULL)
		return noMemory;
	for (int64_t i = 0; i < k->inputs; i++) {
		int64_t kind = next(&r), numbers;
		const char *wrong = readPlace(&r, k->size, &k->in[i], &numbers, &k->reach[i]);
		if (wrong != NULL)
			return wrong;
		if (numbers != numbersOf(k, kind) || kind == COLUMNS && !lies(&k->in[i]) || kind == NUMBER && k->in[i].axes > 0)
			return "vlpx: a program's operand is of another kind";
		k->kind[i] = kind;
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
		int kind = product == k->size ? WHOLE : ROWS;
		if (product != numbersOf(k, kind))
			return "vlpx: an output of a program has another number of numbers";
		k->kind[k->inputs + i] = kind;
	}
	memset(k->kind + k->inputs + k->outputs + whole, ROWS, rows);
	divide(k);
	if (k->own > mostOwn)
		return "vlpx: a program takes too much of a stack";
	if (k->inputs != given->inputs || k->outputs != given->outputs)
		return "vlpx: a program has other inputs or outputs than its operation";
	return readInstructions(&r, k);
}

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
	for (int64_t row = 0; row < rows; row++, to += n, a += one->next[0], b += one->next[1], c += one->next[2]) { \
		const float x = *a, y = *b, z = *c; \
		_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) to[i] = expression; \
	} \
	break

// EITHER are the forms of an operation of two operands.
#define EITHER(code, operation) \
	case code: \
		EACH(a[i] operation b[i]); \
	case code + firstAlone: \
		EACH(x operation b[i]); \
	case code + secondAlone: \
		EACH(a[i] operation y)

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

// sum is that of n numbers: of every sixteenth one, and then of these sums, the first half with the second one.
static inline float sum(const float *a, int64_t n) {
	float lane[16] = {0};
	int64_t i = 0;
	for (; i + 16 <= n; i += 16)
		for (int j = 0; j < 16; j++)
			lane[j] += a[i + j];
	for (; i < n; i++)
		lane[i % 16] += a[i];
	for (int half = 8; half > 0; half /= 2)
		for (int j = 0; j < half; j++)
			lane[j] += lane[j + half];
	return lane[0];
}

// compute runs a program on what its registers hold of so many rows.
WIDE static void compute(const Kernel *k, float **registers, int64_t blockRows) {
	for (const Instruction *one = k->code; one < k->code + k->instructions; one++) {
		float *to = registers[one->to];
		const float *a = registers[one->of[0]], *b = registers[one->of[1]], *c = registers[one->of[2]];
		int64_t rows = one->byRow ? blockRows : 1, n = k->kind[one->to] == ROWS ? blockRows : blockRows * k->columns / rows;
		switch (one->code) {
			EITHER(ADD, +);
			EITHER(SUB, -);
			EITHER(MUL, *);
			EITHER(DIV, /);
			EITHER(GREATER, >);
			EITHER(GREATER_OR_EQUAL, >=);
			EITHER(LESS, <);
			EITHER(LESS_OR_EQUAL, <=);
			EITHER(EQUAL, ==);
		case NEG:
			EACH(-a[i]);
		case SQRT:
			for (int64_t row = 0; row < rows; row++)
				roots(to + row * n, a + row * one->next[0], n);
			break;
		case ABS:
			EACH(fabsf(a[i]));
		case KEEP:
			EACH(a[i]);
		case KEEP + firstAlone:
			EACH(x);
		case SUM:
			for (int64_t row = 0; row < blockRows; row++)
				to[row] = sum(a + row * k->columns, k->columns);
			break;
		case WHERE:
			EACH(a[i] != 0 ? b[i] : c[i]);
		case WHERE + secondAlone:
			EACH(a[i] != 0 ? y : c[i]);
		case WHERE + thirdAlone:
			EACH(a[i] != 0 ? b[i] : z);
		}
	}
}

typedef struct {
	const Kernel *kernel;
	const float **in;
	float **out;
	int64_t part; // numbers that one call computes, of whole blocks
} Work;

// ahead asks for what of a tensor is computed next, in so many numbers.
static void ahead(const float *next, int64_t numbers) {
	for (int64_t i = 0; i < numbers; i += 16)
		__builtin_prefetch(next + i);
}

static void computePart(void *about, size_t which) {
	const Work *w = about;
	const Kernel *k = w->kernel;
	int64_t begin = which * w->part, end = begin + w->part;
	if (end > k->size)
		end = k->size;
	if (k->instructions == 1 && k->code[0].code == KEEP && !given(k, 0)) {
		fetch(&k->in[0], w->in[0], begin, end - begin, w->out[0] + begin);
		return;
	}
	float *at[k->registers], memory[k->own + 1] __attribute__((aligned(64))), *free = memory;
	for (int64_t r = 0; r < k->registers; r++) {
		if (!given(k, r))
			at[r] = free, free += room(k, r);
		else if (k->kind[r] >= COLUMNS)
			at[r] = (float *)w->in[r] + k->in[r].offset;
	}
	for (int64_t n; begin < end; begin += n) {
		n = end - begin < k->block ? end - begin : k->block;
		int64_t after = end - begin - n < k->block ? end - begin - n : k->block;
		for (int64_t r = 0; r < k->inputs + k->outputs; r++) {
			int64_t of = k->kind[r] == ROWS ? k->columns : 1;
			if (k->kind[r] >= COLUMNS)
				continue;
			if (given(k, r)) {
				at[r] = (r < k->inputs ? (float *)w->in[r] + k->in[r].offset : w->out[r - k->inputs]) + begin / of;
				ahead(at[r] + n / of, after / of);
			} else {
				fetch(&k->in[r], w->in[r], begin / of, n / of, at[r]);
			}
		}
		compute(k, at, n / k->columns);
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
	int64_t parts = k->size * k->instructions / ofThread;
	parts = parts < 1 ? 1 : parts > 64 ? 64 : parts;
	int64_t blocks = (k->size + k->block - 1) / k->block;
	Work w = {k, in, out, (blocks + parts - 1) / parts * k->block};
	parts = (k->size + w.part - 1) / w.part;
	return inParts(k->api, context, computePart, parts, &w);
}

OPERATION(elementwise, "Elementwise");
