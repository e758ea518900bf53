//go:build (linux || darwin) && cgo && (amd64 || arm64)

// Products computes products of small matrices, such as attention's: for each index s of a stack
//
//	to[s, i, j] = factor * (sum over k of a[s, i, k] b[s, k, j])
//
// Matrices are read where they lie, by an offset and a stride an axis. Several products may write parts of one result. Sums are added in
// the order of k, where the processor has it without rounding in between.

#include "programs_onnx.h"

#include <stdatomic.h>
#include <string.h>

enum { mostAxes = 8 /* of a stack */, mostProducts = 16, mostInner = 256, alone = 1 << 18 /* multiplications that are worth a thread */ };

// A panel is what is multiplied at a time: 16 or 32 columns of b, side by side.
enum { lane = 16, mostLanes = 2, mostRows = 8 };

typedef float Lane __attribute__((vector_size(lane * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef float Four __attribute__((vector_size(4 * sizeof(float))));

// Place is where the matrices of a stack lie.
typedef struct {
	int64_t offset, stack[mostAxes], row, column; // strides
} Place;

typedef struct {
	float factor;
	int64_t stack, axes, length[mostAxes], rows, columns, inner;
	Place a, b, to;
	int64_t reach[2]; // how many numbers of a's and of b's tensor are read, up to the last one
} Product;

typedef struct {
	const OrtApi *api;
	int64_t *program;
	const int64_t *dims;
	int64_t axes, size, products, inputs;
	Product *product;
	atomic_int fits; // whether the inputs were seen to have as many: their lengths are the graph's, the same in each call
} Kernel;

static void destroyKernel(void *kernel) {
	Kernel *k = kernel;
	free(k->product);
	free(k->program);
	free(k);
}

// readLength reads how many there are of something, of which the program cannot have more than most.
static int readLength(Reading *r, int64_t most, int64_t *length) { return (*length = next(r)) >= 1 && *length <= most; }

// readStride reads the stride of an axis and tells whether no number of it is too far away.
static int readStride(Reading *r, int64_t length, int64_t *stride, int64_t *last) {
	*stride = next(r);
	if (*stride < 0 || *stride > farthest / length)
		return 0;
	*last += (length - 1) * *stride;
	return 1;
}

// readPlace reads where matrices lie and how many numbers their tensor must have.
static int readPlace(Reading *r, const Product *p, int64_t rows, int64_t columns, Place *at, int64_t *reach) {
	int64_t last = at->offset = next(r);
	if (last < 0 || last > farthest)
		return 0;
	for (int64_t i = 0; i < p->axes; i++)
		if (!readStride(r, p->length[i], &at->stack[i], &last))
			return 0;
	int whole = readStride(r, rows, &at->row, &last) && readStride(r, columns, &at->column, &last);
	*reach = last + 1;
	return whole;
}

static const char *readProduct(Reading *r, int64_t size, Product *p) {
	int64_t factor = next(r);
	uint32_t bits = factor;
	memcpy(&p->factor, &bits, sizeof bits);
	p->axes = next(r);
	if (factor != bits || p->axes < 0 || p->axes > mostAxes)
		return "vlpx: a product has no factor, or a stack of too many axes";
	p->stack = 1;
	for (int64_t i = 0; i < p->axes; i++) {
		if (!readLength(r, size / p->stack, &p->length[i]))
			return "vlpx: a stack of products is longer than the result, or empty";
		p->stack *= p->length[i];
	}
	if (!readLength(r, size / p->stack, &p->rows) || !readLength(r, size / p->stack / p->rows, &p->columns) ||
	    !readLength(r, mostInner, &p->inner))
		return "vlpx: a product's matrices are larger than its result, or empty";
	int64_t reach;
	if (!readPlace(r, p, p->rows, p->inner, &p->a, &p->reach[0]) || !readPlace(r, p, p->inner, p->columns, &p->b, &p->reach[1]) ||
	    !readPlace(r, p, p->rows, p->columns, &p->to, &reach) || reach > size || p->to.column != 1)
		return "vlpx: a product's matrices are nowhere";
	return NULL;
}

// at is how far a stack's matrix number s is from the first one.
static inline int64_t at(const Product *p, const Place *place, int64_t s) {
	int64_t far = place->offset;
	for (int64_t i = p->axes - 1; i >= 0; i--) {
		far += s % p->length[i] * place->stack[i];
		s /= p->length[i];
	}
	return far;
}

// readOnce tells whether products of as many numbers as the result has write one of them twice.
static const char *readOnce(const Kernel *k) {
	char *written = calloc(k->size, 1);
	if (written == NULL)
		return noMemory;
	const char *wrong = NULL;
	for (const Product *p = k->product; p < k->product + k->products; p++)
		for (int64_t s = 0; s < p->stack; s++)
			for (int64_t i = 0, row = at(p, &p->to, s); i < p->rows; i++, row += p->to.row)
				for (int64_t j = 0; j < p->columns; j++)
					if (written[row + j]++)
						wrong = "vlpx: products write a number twice";
	free(written);
	return wrong;
}

// readProgram tells what is wrong with a program. What it lets through reads within its operands, if these have the numbers that they must
// have, and writes each number of its result once.
static const char *readProgram(Kernel *k, const Given *given) {
	Reading r = {k->program, k->program + given->length};
	k->axes = next(&r);
	if (k->axes < 0 || k->axes > r.end - r.at)
		return "vlpx: a result of products has more axes than the program has numbers";
	k->dims = r.at;
	k->size = 1;
	for (int64_t i = 0; i < k->axes; i++) {
		int64_t d;
		if (!readLength(&r, (1 << 30) / k->size, &d))
			return "vlpx: a result of products is too large, or empty";
		k->size *= d;
	}
	if (!readLength(&r, mostProducts, &k->products))
		return "vlpx: a program has too many products, or none";
	k->inputs = 2 * k->products;
	k->product = calloc(k->products, sizeof(Product));
	if (k->product == NULL)
		return noMemory;
	int64_t numbers = 0;
	for (int64_t i = 0; i < k->products; i++) {
		Product *p = &k->product[i];
		const char *wrong = readProduct(&r, k->size, p);
		if (wrong != NULL)
			return wrong;
		numbers += p->stack * p->rows * p->columns;
	}
	if (numbers != k->size || r.at != r.end)
		return "vlpx: products have other numbers than their result, or are longer than they say";
	if (k->inputs != given->inputs || given->outputs != 1)
		return "vlpx: products have other inputs or outputs than their operation";
	return readOnce(k);
}

#define INLINE static inline __attribute__((always_inline))

// copy is memcpy of no more numbers than a panel has columns.
INLINE void copy(float *to, const float *from, int64_t n) {
#define COPY(some) \
	if (n & some) { \
		memcpy(to, from, some * sizeof(float)); \
		to += some, from += some; \
	}
	COPY(32) COPY(16) COPY(8) COPY(4) COPY(2) COPY(1)
#undef COPY
}

#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (Four32){__VA_ARGS__})
typedef int32_t Four32 __attribute__((vector_size(16)));
#endif

// turn copies four rows of four numbers into four columns.
INLINE void turn(float *to, int64_t apart, const float *from, int64_t row) {
	Four r[4], s[4];
	for (int i = 0; i < 4; i++)
		memcpy(&r[i], from + i * row, sizeof r[i]);
	s[0] = PICK(r[0], r[1], 0, 4, 1, 5), s[1] = PICK(r[0], r[1], 2, 6, 3, 7);
	s[2] = PICK(r[2], r[3], 0, 4, 1, 5), s[3] = PICK(r[2], r[3], 2, 6, 3, 7);
	r[0] = PICK(s[0], s[2], 0, 1, 4, 5), r[1] = PICK(s[0], s[2], 2, 3, 6, 7);
	r[2] = PICK(s[1], s[3], 0, 1, 4, 5), r[3] = PICK(s[1], s[3], 2, 3, 6, 7);
	for (int i = 0; i < 4; i++)
		memcpy(to + i * apart, &r[i], sizeof r[i]);
}

// pack copies some columns of a matrix so that they lie side by side, a panel's width from row to row.
INLINE void pack(float *to, int64_t width, const float *from, int64_t row, int64_t column, int64_t rows, int64_t columns) {
	if (column == 1) {
		for (int64_t k = 0; k < rows; k++)
			copy(to + k * width, from + k * row, columns);
		return;
	}
	int64_t turned = 0; // columns
	if (row == 1 && rows >= 4 && columns >= 4)
		for (; columns - turned > 1; turned = turned + 4 < columns ? turned + 4 : columns) // the last blocks overlap those before
			for (int64_t k = 0; k < rows; k += 4) {
				int64_t r = k < rows - 4 ? k : rows - 4, c = turned < columns - 4 ? turned : columns - 4;
				turn(to + r * width + c, width, from + r + c * column, column);
			}
	for (; turned < columns; turned++)
		for (int64_t k = 0; k < rows; k++)
			to[k * width + turned] = from[k * row + turned * column];
}

// tile multiplies some rows of a with a panel.
INLINE void tile(const Product *p, int rows, int lanes, const float *a, const float *panel, float *to) {
	Lane sum[mostRows][mostLanes] = {0};
	for (int64_t k = 0; k < p->inner; k++, a += p->a.column, panel += lanes * lane) {
		Lane b[mostLanes];
		for (int l = 0; l < lanes; l++)
			b[l] = *(const Lane *)(panel + l * lane);
		for (int i = 0; i < rows; i++) {
			float x = a[i * p->a.row];
			for (int l = 0; l < lanes; l++)
				sum[i][l] += x * b[l];
		}
	}
	for (int i = 0; i < rows; i++)
		for (int l = 0; l < lanes; l++)
			*(Lane *)(to + (i * lanes + l) * lane) = sum[i][l] * p->factor;
}

// multiply computes one product, in tiles of no more than some rows and lanes, which are constants, as those of each tile are.
INLINE void multiply(const Product *p, int rows, int lanes, float *panel, const float *a, const float *b, float *to) {
	float sums[mostRows * mostLanes * lane] __attribute__((aligned(64)));
	int64_t tiles = (p->rows + rows - 1) / rows;
	for (int64_t j = 0, columns; j < p->columns; j += columns) {
		columns = p->columns - j < lanes * lane ? p->columns - j : lanes * lane;
		int64_t width = columns > lane ? lanes * lane : lane;
		pack(panel, width, b + j * p->b.column, p->b.row, p->b.column, p->inner, columns);
		for (int64_t t = 0; t < tiles; t++) {
			int64_t i = p->rows * t / tiles, n = p->rows * (t + 1) / tiles - i;
			const float *from = a + i * p->a.row;
#define TILE(n) \
	case n: \
		if (n <= rows && width > lane) \
			tile(p, n, lanes, from, panel, sums); \
		else if (n <= rows) \
			tile(p, n, 1, from, panel, sums); \
		break;
			switch (n) { TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7) TILE(8) }
#undef TILE
			float *at = to + i * p->to.row + j;
			for (int64_t r = 0; r < n; r++, at += p->to.row)
				copy(at, sums + r * width, columns);
		}
	}
}

// A tile fits into a processor's registers: 32 of a lane each with AVX-512, 16 of half a lane with AVX2, 32 of a quarter on arm64.
typedef void Multiply(const Product *, float *, const float *, const float *, float *);

static void multiplySome(const Product *p, float *panel, const float *a, const float *b, float *to) { multiply(p, 6, 1, panel, a, b, to); }

#ifdef __x86_64__
__attribute__((target("avx512f"))) static void multiply512(const Product *p, float *panel, const float *a, const float *b, float *to) {
	multiply(p, 8, 2, panel, a, b, to);
}

__attribute__((target("avx2,fma"))) static void multiply256(const Product *p, float *panel, const float *a, const float *b, float *to) {
	multiply(p, 6, 1, panel, a, b, to);
}

static Multiply *fastest(void) {
	if (__builtin_cpu_supports("avx512f"))
		return multiply512;
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? multiply256 : multiplySome;
}
#else
static Multiply *fastest(void) { return multiplySome; }
#endif

typedef struct {
	const Kernel *kernel;
	const float **in;
	float *out;
	int64_t stacks, parts; // matrices of all products, and how many calls compute them
} Work;

static void computePart(void *about, size_t which) {
	const Work *w = about;
	const Kernel *k = w->kernel;
	Multiply *multiply = fastest();
	float panel[mostInner * mostLanes * lane] __attribute__((aligned(64)));
	memset(panel, 0, sizeof panel); // what is beside a narrow one is multiplied, too
	int64_t begin = w->stacks * which / w->parts, end = w->stacks * (which + 1) / w->parts;
	for (int64_t i = 0; i < k->products; i++) {
		const Product *p = &k->product[i];
		for (int64_t s = begin < 0 ? 0 : begin; s < end && s < p->stack; s++)
			multiply(p, panel, w->in[2 * i] + at(p, &p->a, s), w->in[2 * i + 1] + at(p, &p->b, s), w->out + at(p, &p->to, s));
		begin -= p->stack, end -= p->stack;
	}
}

static OrtStatus *computeKernel(void *kernel, OrtKernelContext *context) {
	Kernel *k = kernel;
	OrtStatus *(*input)(const OrtKernelContext *, size_t, const OrtValue **) = k->api[kernelContextGetInput];
	OrtStatus *(*output)(OrtKernelContext *, size_t, const int64_t *, size_t, OrtValue **) = k->api[kernelContextGetOutput];
	OrtStatus *(*data)(OrtValue *, void **) = k->api[getTensorMutableData];
	const float *in[2 * mostProducts];
	OrtStatus *status = NULL;
	OrtValue *v;
	for (int64_t i = 0; i < k->inputs; i++)
		if ((status = input(context, i, (const OrtValue **)&v)) != NULL || (status = data(v, (void **)&in[i])) != NULL ||
		    !atomic_load(&k->fits) && (status = fits(k->api, v, k->product[i / 2].reach[i % 2])) != NULL)
			return status;
	atomic_store(&k->fits, 1);
	Work w = {k, in};
	if ((status = output(context, 0, k->dims, k->axes, &v)) != NULL || (status = data(v, (void **)&w.out)) != NULL)
		return status;
	int64_t multiplications = 0;
	for (const Product *p = k->product; p < k->product + k->products; p++) {
		w.stacks += p->stack;
		multiplications += p->stack * p->rows * p->columns * p->inner;
	}
	w.parts = multiplications / alone;
	w.parts = w.parts < 1 ? 1 : w.parts > 64 ? 64 : w.parts;
	w.parts = w.parts > w.stacks ? w.stacks : w.parts;
	return inParts(k->api, context, computePart, w.parts, &w);
}

OPERATION(products, "Products");
