//go:build (linux || darwin) && cgo && (amd64 || arm64)

// Convolution computes convolutions and their gradients, which package fusion finds among products of patches. Some images at a time, with
// zeros around them, stay in a core's first caches. Sums are in the same order however many threads there are.

#include "programs_onnx.h"
#include "tiles_onnx.h"

#include <stdatomic.h>

enum { alone = 1 << 20 /* multiplications that are worth a thread */ };

// What is computed of which two inputs.
enum {
	FORWARD, // results of images and kernels [size, size, in, out]
	INPUT,   // the gradient of images, of a result's and kernels
	WEIGHTS, // the gradient of kernels, of images and a result's
};

typedef struct {
	const OrtApi *api;
	int64_t *program;
	int64_t what;
	Convolution c;
	int64_t axes;
	const int64_t *dims;
	atomic_int fits; // whether the inputs were seen to have as many numbers
} Kernel;

static void destroyKernel(void *kernel) {
	Kernel *k = kernel;
	free(k->program);
	free(k);
}

static int64_t imageSize(const Convolution *c) { return c->height * c->width * c->in; }
static int64_t resultSize(const Convolution *c) { return c->rows * c->columns * c->out; }

// complete finds what follows from a convolution.
static void complete(Convolution *c) {
	int64_t before = (c->size - 1) / 2;
	c->rows = (c->height + c->stride - 1) / c->stride;
	c->columns = (c->width + c->stride - 1) / c->stride;
	int64_t high = (c->rows - 1) * c->stride + c->size, wide = (c->columns - 1) * c->stride + c->size;
	high = high < before + c->height ? before + c->height : high;
	wide = wide < before + c->width ? before + c->width : wide;
	c->run = c->size * c->in;
	c->line = wide * c->in;
	c->image = high * c->line;
	c->first = before * c->line + before * c->in;
	c->patch = c->size * c->run;
	int64_t group = together / (c->rows * c->columns);
	c->group = group < 1 ? 1 : group > c->images ? c->images : group;
}

// readProgram tells what is wrong with a program: what is computed, images, height, width, in, out, size and stride, and the number of the
// output's axes and their lengths.
static const char *readProgram(Kernel *k, const Given *given) {
	Reading r = {k->program, k->program + given->length};
	Convolution *c = &k->c;
	k->what = next(&r);
	int64_t *numbers[] = {&c->images, &c->height, &c->width, &c->in, &c->out, &c->size, &c->stride};
	for (int i = 0; i < 7; i++)
		if ((*numbers[i] = next(&r)) < 1 || *numbers[i] > 1 << 20)
			return "vlpx: a length of a convolution is wrong";
	if (k->what < FORWARD || k->what > WEIGHTS || c->size % 2 == 0 || c->size > 64 || c->out % lanes != 0 ||
	    k->what == INPUT && c->in % lanes != 0)
		return "vlpx: a convolution is of no kind that is known";
	// No product of these overflows.
	if ((double)c->images * (c->height + c->size) * (c->width + c->size) * c->in > farthest ||
	    (double)c->images * c->height * c->width * c->out > farthest || (double)c->size * c->size * c->in * c->out > farthest)
		return "vlpx: a convolution is too large";
	complete(c);
	if (given->inputs != 2 || given->outputs != 1)
		return "vlpx: a convolution has two inputs and one output";
	int64_t size = k->what == WEIGHTS ? c->patch * c->out : c->images * (k->what == FORWARD ? resultSize(c) : imageSize(c));
	return readShape(&r, size, &k->axes, &k->dims);
}

// forwardPanels brings kernels [patch, out] into panels.
static void forwardPanels(const Convolution *c, const float *w, float *panels) {
	for (int64_t at = 0; at < c->out; at += pair) {
		int64_t width = widthOf(at / pair, c->out) * lanes;
		for (int64_t k = 0; k < c->patch; k++, panels += width)
			memcpy(panels, w + k * c->out + at, width * sizeof(float));
	}
}

// inputPanels brings kernels, transposed, [out, patch], into panels.
static void inputPanels(const Convolution *c, const float *w, float *panels) {
	for (int64_t at = 0; at < c->patch; at += pair) {
		int64_t width = widthOf(at / pair, c->patch) * lanes;
		for (int64_t k = 0; k < width; k++)
			for (int64_t o = 0; o < c->out; o++)
				panels[o * width + k] = w[(at + k) * c->out + o];
		panels += width * c->out;
	}
}

// Work is what several threads share. A part of it is some groups of images, or, of the gradient of kernels, some of their rows.
typedef struct {
	const Kernel *kernel;
	Tiles by;
	const float *a, *b;
	float *out;
	int64_t all, part;
	atomic_int hungry; // whether there was no memory
} Work;

// surrounded copies images to where there are zeros around them, or back.
static void surrounded(const Convolution *c, float *images, int64_t count, float *inside, int back) {
	int64_t row = c->width * c->in;
	for (int64_t i = 0; i < count; i++)
		for (int64_t y = 0; y < c->height; y++, images += row) {
			float *there = inside + i * c->image + c->first + y * c->line;
			memcpy(back ? images : there, back ? there : images, row * sizeof(float));
		}
}

static void computePart(void *about, size_t which) {
	Work *w = about;
	const Kernel *k = w->kernel;
	const Convolution *c = &k->c;
	int64_t each = c->rows * c->columns, begin = which * w->part, end = begin + w->part < w->all ? begin + w->part : w->all;
	float *inside = calloc(c->group * c->image, sizeof(float));
	int64_t *places = malloc(c->group * each * sizeof(int64_t));
	if (inside == NULL || places == NULL) {
		atomic_store(&w->hungry, 1);
		free(inside);
		free(places);
		return;
	}
	for (int64_t p = 0; p < c->group * each; p++)
		places[p] = p / each * c->image + p % each / c->columns * c->stride * c->line + p % c->columns * c->stride * c->in;
	if (k->what == WEIGHTS)
		memset(w->out + begin * c->out, 0, (end - begin) * c->out * sizeof(float));
	int64_t first = k->what == WEIGHTS ? 0 : begin * c->group, last = k->what == WEIGHTS ? c->images : end * c->group;
	for (int64_t at = first; at < last && at < c->images; at += c->group) {
		int64_t count = c->images - at < c->group ? c->images - at : c->group;
		int64_t image = at * imageSize(c), result = at * resultSize(c);
		switch (k->what) {
		case FORWARD:
			surrounded(c, (float *)w->a + image, count, inside, 0);
			w->by.forward(c, inside, places, count * each, w->b, w->out + result);
			break;
		case INPUT:
			memset(inside, 0, count * c->image * sizeof(float));
			w->by.input(c, inside, places, count * each, w->b, w->a + result);
			surrounded(c, w->out + image, count, inside, 1);
			break;
		case WEIGHTS:
			surrounded(c, (float *)w->a + image, count, inside, 0);
			w->by.weights(c, inside, places, count * each, w->b + result, begin, end, w->out);
		}
	}
	free(inside);
	free(places);
}

static OrtStatus *computeKernel(void *kernel, OrtKernelContext *context) {
	Kernel *k = kernel;
	const Convolution *c = &k->c;
	OrtStatus *(*input)(const OrtKernelContext *, size_t, const OrtValue **) = k->api[kernelContextGetInput];
	OrtStatus *(*output)(OrtKernelContext *, size_t, const int64_t *, size_t, OrtValue **) = k->api[kernelContextGetOutput];
	OrtStatus *(*data)(OrtValue *, void **) = k->api[getTensorMutableData];
	int64_t images = c->images * imageSize(c), results = c->images * resultSize(c), kernels = c->patch * c->out;
	int64_t numbers[] = {k->what == INPUT ? results : images, k->what == WEIGHTS ? results : kernels};
	float *in[2], *out;
	OrtValue *v;
	OrtStatus *status;
	for (int i = 0; i < 2; i++)
		if ((status = input(context, i, (const OrtValue **)&v)) != NULL || (status = data(v, (void **)&in[i])) != NULL ||
		    !atomic_load(&k->fits) && (status = fits(k->api, v, numbers[i])) != NULL)
			return status;
	atomic_store(&k->fits, 1);
	if ((status = output(context, 0, k->dims, k->axes, &v)) != NULL || (status = data(v, (void **)&out)) != NULL)
		return status;
	float *panels = NULL;
	if (k->what != WEIGHTS) {
		if ((panels = malloc(kernels * sizeof(float))) == NULL)
			return fail(k->api, noMemory);
		(k->what == FORWARD ? forwardPanels : inputPanels)(c, in[1], panels);
	}
	int64_t all = k->what == WEIGHTS ? c->patch : (c->images + c->group - 1) / c->group;
	int64_t parts = c->images * resultSize(c) * c->patch / alone;
	parts = parts < 1 ? 1 : parts > sessionThreads ? sessionThreads : parts;
	Work w = {k, tiles(), in[0], panels != NULL ? panels : in[1], out, all, (all + parts - 1) / parts};
	parts = (all + w.part - 1) / w.part;
	status = inParts(k->api, context, computePart, parts, &w);
	free(panels);
	return status == NULL && atomic_load(&w.hungry) ? fail(k->api, noMemory) : status;
}

OPERATION(convolution, "Convolution");
