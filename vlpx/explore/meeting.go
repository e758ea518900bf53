package explore

import (
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/negative"
)

// meet is the chance that an image, by any of its captions, and a caption of another share a mini-batch in an epoch after the
// first, NaN where it depends on more than the embeddings.
//
// For uniform mini-batches it is exact. Else the sampler is played by itself: run after run under further seeds, each of the
// training run's length on the explored pairs, with the embeddings of the explored model throughout; x.Epochs epochs after the
// first are counted. A sampler that learns from rewards cannot be played.
func (x *Explorer) meet(m negative.Method, image, caption int) (float64, error) {
	if _, rewarded := m.Batches.(negative.Rewarded); rewarded {
		return math.NaN(), nil
	}
	if m.Batches == negative.Plain().Batches {
		return x.meetByChance(datasets.PairsOf(x.set, image)), nil
	}
	key, err := identity(m.Batches)
	if err != nil {
		return 0, err
	}
	played := x.meetings[key]
	if played == nil {
		if played, err = x.play(m); err != nil {
			return 0, fmt.Errorf("explore: %s: %w", m.Name, err)
		}
		x.meetings[key] = played
	}
	count := 0
	for _, of := range played {
		for _, p := range x.positives(image, OfImage) {
			if of[p] >= 0 && of[p] == of[caption] {
				count++
				break
			}
		}
	}
	return float64(count) / float64(len(played)), nil
}

// meetByChance is the chance that a pair is in the mini-batch of one of n others, of uniform mini-batches.
func (x *Explorer) meetByChance(n int) float64 {
	pairs, batch := x.start.Pairs, x.start.BatchSize
	in := float64(pairs/batch*batch) / float64(pairs) // the remainder sits the epoch out
	apart := 1.0
	for i := range n {
		apart *= 1 - float64(batch-1)/float64(pairs-1-i)
	}
	return in * (1 - apart)
}

// play runs a method's sampler until enough epochs are counted. It returns the mini-batch of each pair in each epoch,
// [epochs][pairs], -1 for a pair that sits the epoch out.
func (x *Explorer) play(m negative.Method) (played [][]int32, err error) {
	for seed := uint64(1); len(played) < x.Epochs; seed++ {
		start := x.start
		start.Seed = seed
		sampler, err := m.Batches.Start(start)
		if err != nil {
			return nil, err
		}
		for epoch := range start.Epochs {
			batches, err := x.playEpoch(sampler, epoch)
			if err != nil {
				return nil, err
			}
			if epoch > 0 && len(played) < x.Epochs {
				played = append(played, batches)
			}
		}
	}
	return played, nil
}

// playEpoch returns the mini-batch of each pair in an epoch.
func (x *Explorer) playEpoch(sampler negative.Sampler, epoch int) ([]int32, error) {
	steps, err := sampler.Epoch(epoch)
	if err != nil {
		return nil, err
	}
	batches := make([]int32, len(x.pairs))
	for p := range batches {
		batches[p] = -1
	}
	for step := range steps {
		pairs, err := sampler.Next()
		if err != nil {
			return nil, err
		}
		for _, p := range pairs {
			batches[p] = int32(step)
		}
		image, text := x.features(pairs)
		observed := negative.Observation{Pairs: pairs, Image: image, Text: text, Temperature: x.temperature}
		if err := sampler.Observe(observed); err != nil {
			return nil, err
		}
	}
	return batches, nil
}
