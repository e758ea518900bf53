//go:build (linux || darwin) && cgo && (amd64 || arm64)

// Pool computes the largest numbers of windows of 3 x 3 pixels, every second one, and the gradient of that, which package fusion finds
// among choices between a window's places. Around images is the least number. Of equal ones the first is chosen, of each row and then of
// these.

#include "programs_onnx.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

enum { ofThread = 1 << 15 /* numbers that are worth one */ };

// What is computed.
enum {
	FORWARD,  // results [images, rows, columns, channels] of images [images, height, width, channels]
	GRADIENT, // that of images, of these and a result's
};

typedef struct {
	const OrtApi *api;
	int64_t *program;
	int64_t what, images, height, width, channels, rows, columns;
	int64_t axes; // of the output
	const int64_t *dims;
	atomic_int fits; // whether the inputs were seen to have as many numbers
} Kernel;

static void destroyKernel(void *kernel) {
	Kernel *k = kernel;
	free(k->program);
	free(k);
}

static int64_t imageSize(const Kernel *k) { return k->height * k->width * k->channels; }
static int64_t resultSize(const Kernel *k) { return k->rows * k->columns * k->channels; }

// readProgram tells what is wrong with a program: what is computed, images, height, width, channels, and the number of the output's axes
// and their lengths.
static const char *readProgram(Kernel *k, const Given *given) {
	Reading r = {k->program, k->program + given->length};
	k->what = next(&r);
	int64_t *numbers[] = {&k->images, &k->height, &k->width, &k->channels};
	for (int i = 0; i < 4; i++)
		if ((*numbers[i] = next(&r)) < 1 || *numbers[i] > 1 << 20)
			return "vlpx: a length of a pool is wrong";
	if (k->what < FORWARD || k->what > GRADIENT)
		return "vlpx: a pool is of no kind that is known";
	if ((double)k->images * k->height * k->width * k->channels > farthest)
		return "vlpx: a pool is too large";
	k->rows = (k->height + 1) / 2;
	k->columns = (k->width + 1) / 2;
	if (given->inputs != (k->what == FORWARD ? 1 : 2) || given->outputs != 1)
		return "vlpx: a pool has other inputs or outputs";
	return readShape(&r, k->images * (k->what == FORWARD ? resultSize(k) : imageSize(k)), &k->axes, &k->dims);
}

// Lines are what a thread keeps of an image: the largest numbers of the windows of three rows [columns, channels], what of a gradient these
// rows get, and, of a pixel, the least number and two places for what is outside.
typedef struct {
	float *seen[3], *given[3], *around, *beside[2];
} Lines;

// across chooses from the windows of a row of pixels, or of what is around the image (NULL).
WIDE static void across(const Kernel *k, const float *row, const float *around, float *restrict to) {
	int64_t n = k->channels;
	for (int64_t c = 0; c < k->columns; c++, to += n) {
		const float *middle = row == NULL ? around : row + 2 * c * n;
		const float *left = row == NULL || c == 0 ? around : middle - n;
		const float *right = row == NULL || 2 * c + 1 == k->width ? around : middle + n;
		for (int64_t i = 0; i < n; i++) {
			float x = middle[i] > left[i] ? middle[i] : left[i];
			to[i] = right[i] > x ? right[i] : x;
		}
	}
}

// choose chooses from three rows.
WIDE static void choose(const float *a, const float *b, const float *c, int64_t n, float *restrict to) {
	for (int64_t i = 0; i < n; i++) {
		float x = b[i] > a[i] ? b[i] : a[i];
		to[i] = c[i] > x ? c[i] : x;
	}
}

// give adds n numbers of a gradient to what the first of three places has where that was chosen, and puts them, or zeros, at the others.
WIDE static void give(const float *a, const float *b, const float *c, const float *y, int64_t n, float *restrict first,
                      float *restrict second, float *restrict third) {
	for (int64_t i = 0; i < n; i++) {
		int is = b[i] > a[i];
		float x = is ? b[i] : a[i], none = 0;
		int last = c[i] > x;
		float left = last ? none : y[i];
		third[i] = last ? y[i] : none;
		second[i] = is ? left : none;
		first[i] += is ? none : left;
	}
}

// apart gives a row of pixels what the windows of it have of a gradient.
static void apart(const Kernel *k, const Lines *l, const float *row, const float *y, float *to) {
	int64_t n = k->channels;
	for (int64_t c = 0; c < k->columns; c++) {
		int64_t at = 2 * c * n;
		int begins = c == 0, ends = 2 * c + 1 == k->width;
		give(begins ? l->around : row + at - n, row + at, ends ? l->around : row + at + n, y + c * n, n, begins ? l->beside[0] : to + at - n,
		     to + at, ends ? l->beside[1] : to + at + n);
	}
}

// poolImage chooses from an image, or gives it what it has of the gradient y.
static void poolImage(const Kernel *k, Lines *l, const float *image, const float *y, float *to) {
	int64_t n = k->columns * k->channels, line = k->width * k->channels;
	across(k, NULL, l->around, l->seen[0]);
	memset(l->given[0], 0, n * sizeof(float));
	for (int64_t r = 0; r < k->rows; r++) {
		const float *row = image + 2 * r * line;
		int ends = 2 * r + 1 == k->height;
		across(k, row, l->around, l->seen[1]);
		across(k, ends ? NULL : row + line, l->around, l->seen[2]);
		if (k->what == FORWARD) {
			choose(l->seen[0], l->seen[1], l->seen[2], n, to + r * n);
		} else {
			float *place = to + 2 * r * line;
			give(l->seen[0], l->seen[1], l->seen[2], y + r * n, n, l->given[0], l->given[1], l->given[2]);
			if (r > 0)
				apart(k, l, row - line, l->given[0], place - line);
			apart(k, l, row, l->given[1], place);
			if (2 * r + 2 == k->height)
				apart(k, l, row + line, l->given[2], place + line);
		}
		float *seen = l->seen[0], *given = l->given[0];
		l->seen[0] = l->seen[2], l->seen[2] = seen;
		l->given[0] = l->given[2], l->given[2] = given;
	}
}

// Work is what several threads share. A part of it is some images.
typedef struct {
	const Kernel *kernel;
	const float *images, *y;
	float *out;
	int64_t part;
	atomic_int hungry; // whether there was no memory
} Work;

static void computePart(void *about, size_t which) {
	Work *w = about;
	const Kernel *k = w->kernel;
	int64_t n = k->columns * k->channels, begin = which * w->part, end = begin + w->part < k->images ? begin + w->part : k->images;
	float *memory = malloc((6 * n + 3 * k->channels) * sizeof(float));
	if (memory == NULL) {
		atomic_store(&w->hungry, 1);
		return;
	}
	float *pixels = memory + 6 * n;
	int64_t size = k->what == FORWARD ? resultSize(k) : imageSize(k); // of what is computed of an image
	Lines l = {{memory, memory + n, memory + 2 * n}, {memory + 3 * n, memory + 4 * n, memory + 5 * n}, pixels,
	           {pixels + k->channels, pixels + 2 * k->channels}};
	for (int64_t i = 0; i < k->channels; i++)
		l.around[i] = -FLT_MAX, l.beside[0][i] = 0;
	for (int64_t i = begin; i < end; i++)
		poolImage(k, &l, w->images + i * imageSize(k), w->y + i * resultSize(k), w->out + i * size);
	free(memory);
}

static OrtStatus *computeKernel(void *kernel, OrtKernelContext *context) {
	Kernel *k = kernel;
	OrtStatus *(*input)(const OrtKernelContext *, size_t, const OrtValue **) = k->api[kernelContextGetInput];
	OrtStatus *(*output)(OrtKernelContext *, size_t, const int64_t *, size_t, OrtValue **) = k->api[kernelContextGetOutput];
	OrtStatus *(*data)(OrtValue *, void **) = k->api[getTensorMutableData];
	int64_t numbers[] = {k->images * imageSize(k), k->images * resultSize(k)};
	float *in[2] = {NULL, NULL}, *out;
	OrtValue *v;
	OrtStatus *status;
	for (int i = 0; i < (k->what == FORWARD ? 1 : 2); i++)
		if ((status = input(context, i, (const OrtValue **)&v)) != NULL || (status = data(v, (void **)&in[i])) != NULL ||
		    !atomic_load(&k->fits) && (status = fits(k->api, v, numbers[i])) != NULL)
			return status;
	atomic_store(&k->fits, 1);
	if ((status = output(context, 0, k->dims, k->axes, &v)) != NULL || (status = data(v, (void **)&out)) != NULL)
		return status;
	int64_t parts = numbers[0] / ofThread;
	parts = parts < 1 ? 1 : parts > sessionThreads ? sessionThreads : parts;
	Work w = {k, in[0], k->what == FORWARD ? in[0] : in[1], out, (k->images + parts - 1) / parts};
	parts = (k->images + w.part - 1) / w.part;
	status = inParts(k->api, context, computePart, parts, &w);
	return status == NULL && atomic_load(&w.hungry) ? fail(k->api, noMemory) : status;
}

OPERATION(pool, "Pool");
