// Package bench measures how fast training is here, and by what it is bounded: a step and its parts, the loader, the sampler,
// evaluation and writing, each in turn with the engine's own matrix product, and with an equivalent step of PyTorch where it is asked for
// one. The ablation bench of notebooks is [vlpx.Bench].
package bench
