// The products of a convolution and of its gradients by tiles: as many sums as a core has registers for, of some places of a result and one
// or two vectors of its channels. Places are found by where their patches begin in images that have zeros around them. Patches overlap there
// and are never written.

#include <stdint.h>
#include <string.h>

// Convolution slides kernels of size x size pixels, size odd, by strides over images [height, width, in] with zeros around them.
typedef struct {
	int64_t images, height, width, in, out, size, stride;
	int64_t rows, columns; // of a result
	int64_t run, line;     // numbers that a patch has of a row of an image, and that a row has with what is around
	int64_t image, first;  // numbers of an image with what is around, and where its own begin
	int64_t patch;
	int64_t group; // images that are read together
} Convolution;

typedef float Lanes __attribute__((vector_size(64), aligned(4), may_alias));

enum { lanes = 16, pair = 2 * lanes /* columns of a panel */, together = 64 /* places whose images are read at once */ };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

// Panels are a matrix [depth, columns] by two vectors of columns at a time, each panel [depth, 32]; the last one may have 16.
static int widthOf(int64_t panel, int64_t columns) { return columns - panel * pair < pair ? 1 : 2; }

// tile sums up the products of rows of places with a panel: of each place runs of numbers, a line apart. Two numbers of a run at a time, as
// there are fewer registers than places.
INLINE void tile(const int rows, const int width, const float *const *a, int64_t runs, int64_t line, int64_t run, const float *b,
		 Lanes sums[rows][width]) {
	enum { step = 2 };
	for (int64_t i = 0; i < runs; i++) {
		int64_t k = 0;
		for (; k + step <= run; k += step, b += step * width * lanes) {
			Lanes along[step][2];
			UNROLL for (int j = 0; j < step; j++) UNROLL for (int v = 0; v < width; v++)
				along[j][v] = *(const Lanes *)(b + (j * width + v) * lanes);
			UNROLL for (int r = 0; r < rows; r++) {
				const float *x = a[r] + i * line + k;
				UNROLL for (int j = 0; j < step; j++) UNROLL for (int v = 0; v < width; v++) sums[r][v] += along[j][v] * x[j];
			}
		}
		for (; k < run; k++, b += width * lanes)
			UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < width; v++)
				sums[r][v] += *(const Lanes *)(b + v * lanes) * a[r][i * line + k];
	}
}

INLINE void forwardTile(const int rows, const int width, const Convolution *c, const float *x, const int64_t *places, const float *panel,
			float *y) {
	Lanes sums[rows][width];
	memset(sums, 0, sizeof(sums));
	const float *a[rows];
	for (int r = 0; r < rows; r++)
		a[r] = x + places[r];
	tile(rows, width, a, c->size, c->line, c->run, panel, sums);
	UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < width; v++)
		*(Lanes *)(y + r * c->out + v * lanes) = sums[r][v];
}

INLINE void inputTile(const int rows, const int width, const Convolution *c, float *x, const int64_t *places, const float *panel,
		      const float *y, int64_t column) {
	Lanes sums[rows][width];
	memset(sums, 0, sizeof(sums));
	const float *a[rows];
	for (int r = 0; r < rows; r++)
		a[r] = y + r * c->out;
	tile(rows, width, a, 1, 0, c->out, panel, sums);
	UNROLL for (int v = 0; v < width; v++) {
		int64_t at = column + v * lanes;
		float *to = x + at / c->run * c->line + at % c->run;
		UNROLL for (int r = 0; r < rows; r++) *(Lanes *)(to + places[r]) += sums[r][v];
	}
}

INLINE void weightsTile(const int rows, const int width, const Convolution *c, const float *x, const int64_t *places, int64_t count,
			const float *y, float *w) {
	Lanes sums[rows][width];
	UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < width; v++)
		sums[r][v] = *(const Lanes *)(w + r * c->out + v * lanes);
	for (int64_t p = 0; p < count; p++) {
		Lanes along[2];
		UNROLL for (int v = 0; v < width; v++) along[v] = *(const Lanes *)(y + p * c->out + v * lanes);
		const float *a = x + places[p];
		UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < width; v++) sums[r][v] += along[v] * a[r];
	}
	UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < width; v++)
		*(Lanes *)(w + r * c->out + v * lanes) = sums[r][v];
}

// TILES goes from at to end by tiles of many, few and single rows.
#define TILES(many, few, at, end, width, CALL)                     \
	while (at < end) {                                         \
		if (end - at >= many) {                            \
			width == 2 ? CALL(many, 2) : CALL(many, 1); \
			at += many;                                \
		} else if (end - at >= few) {                      \
			width == 2 ? CALL(few, 2) : CALL(few, 1);   \
			at += few;                                 \
		} else {                                           \
			width == 2 ? CALL(1, 2) : CALL(1, 1);       \
			at++;                                      \
		}                                                  \
	}

INLINE void forwardGroup(const int many, const int few, const Convolution *c, const float *x, const int64_t *places, int64_t count,
			 const float *panels, float *y) {
	for (int64_t panel = 0; panel * pair < c->out; panel++) {
		int width = widthOf(panel, c->out);
		const float *b = panels + panel * pair * c->patch;
		int64_t at = 0;
#define CALL(rows, width) forwardTile(rows, width, c, x, places + at, b, y + at * c->out + panel * pair)
		TILES(many, few, at, count, width, CALL)
#undef CALL
	}
}

INLINE void inputGroup(const int many, const int few, const Convolution *c, float *x, const int64_t *places, int64_t count,
		       const float *panels, const float *y) {
	for (int64_t panel = 0; panel * pair < c->patch; panel++) {
		int width = widthOf(panel, c->patch);
		const float *b = panels + panel * pair * c->out;
		int64_t at = 0;
#define CALL(rows, width) inputTile(rows, width, c, x, places + at, b, y + at * c->out, panel * pair)
		TILES(many, few, at, count, width, CALL)
#undef CALL
	}
}

INLINE void weightsGroup(const int many, const int few, const Convolution *c, const float *x, const int64_t *places, int64_t count,
			 const float *y, int64_t from, int64_t to, float *w) {
	for (int64_t at = from; at < to;) {
		int64_t first = at, end = (at / c->run + 1) * c->run;
		if (end > to)
			end = to;
		for (int64_t panel = 0; panel * pair < c->out; panel++) {
			int width = widthOf(panel, c->out);
			at = first;
			int64_t stop = end - first >= many ? first + many : end;
#define CALL(rows, width) \
	weightsTile(rows, width, c, x + at / c->run * c->line + at % c->run, places, count, y + panel * pair, w + at * c->out + panel * pair)
			TILES(many, few, at, stop, width, CALL)
#undef CALL
		}
	}
}

// A core's kind says how many sums it has registers for.
#define KIND(name, target, many, few)                                                                                                     \
	target static void forward##name(const Convolution *c, const float *x, const int64_t *places, int64_t count, const float *panels, \
					 float *y) {                                                                                      \
		forwardGroup(many, few, c, x, places, count, panels, y);                                                                  \
	}                                                                                                                                 \
	target static void input##name(const Convolution *c, float *x, const int64_t *places, int64_t count, const float *panels,         \
				       const float *y) {                                                                                  \
		inputGroup(many, few, c, x, places, count, panels, y);                                                                    \
	}                                                                                                                                 \
	target static void weights##name(const Convolution *c, const float *x, const int64_t *places, int64_t count, const float *y,      \
					 int64_t from, int64_t to, float *w) {                                                            \
		weightsGroup(many, few, c, x, places, count, y, from, to, w);                                                             \
	}

typedef struct {
	void (*forward)(const Convolution *, const float *, const int64_t *, int64_t, const float *, float *);
	void (*input)(const Convolution *, float *, const int64_t *, int64_t, const float *, const float *);
	void (*weights)(const Convolution *, const float *, const int64_t *, int64_t, const float *, int64_t, int64_t, float *);
} Tiles;

#ifdef __x86_64__
KIND(Avx512, __attribute__((target("avx512f"))), 12, 4)
KIND(Avx2, __attribute__((target("avx2,fma"))), 3, 3)
KIND(Plain, , 1, 1)
static Tiles tiles(void) {
	if (__builtin_cpu_supports("avx512f"))
		return (Tiles){forwardAvx512, inputAvx512, weightsAvx512};
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return (Tiles){forwardAvx2, inputAvx2, weightsAvx2};
	return (Tiles){forwardPlain, inputPlain, weightsPlain};
}
#else
KIND(Plain, , 3, 3)
static Tiles tiles(void) { return (Tiles){forwardPlain, inputPlain, weightsPlain}; }
#endif
