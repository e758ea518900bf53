package negative

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/scheduler"
)

// Choice is what a scheduler chose for one anchor.
type Choice struct {
	Anchor   int            `json:"anchor"`   // pair
	Picked   int            `json:"picked"`   // pair
	Quantile float64        `json:"quantile"` // of hardness, drawn
	Beta     scheduler.Beta `json:"beta"`     // the distribution it was drawn from
}

// Scheduler is a Sampler that reports what it chose.
type Scheduler interface {
	Sampler
	// Choices are those of the mini-batch observed last, one an anchor; none in an epoch that is not scheduled.
	Choices() []Choice
	// Similarities counts the cosines between up to anchors images and every other text, and between the same pairs' texts
	// and every other image, by the latest embeddings, in bins of equal width from -1 to 1 (FALCON, figure 5).
	Similarities(anchors, bins int) (i2t, t2i []int)
}

// scheduledSampler is Scheduled at work. pass.order begins an epoch as its shuffled pairs; every mini-batch that is built
// takes its place in it.
type scheduledSampler struct {
	Scheduled
	pass   pass
	draws  draws
	policy *scheduler.Policy
	reward baseline

	image, text []float32 // the latest embeddings of every pair, zero before the first, [Pairs, Dim]
	built       int       // mini-batches of the epoch
	region      region
	pending     []decision // of mini-batches that are built but not observed
	choices     []Choice   // of the mini-batch observed last
}

// region is the search space in use; without members there is none.
type region struct {
	members     []int     // pairs
	image, text []float32 // their embeddings when it was begun, [members, Dim]
	space       *scheduler.Space
}

// decision is what the policy decided for one mini-batch: for each anchor the state it saw, what it drew, and from what.
type decision struct {
	states []float32 // [anchors, Quantiles]
	draws  []float64 // [anchors]
	betas  []scheduler.Beta
}

// baseline is the running mean of the rewards.
type baseline struct {
	mean    float64
	rewards int // so far
}

// advantage is the reward over the mean before it; the first reward has none.
func (b *baseline) advantage(reward, decay float64) float64 {
	if decay == 0 {
		return reward
	}
	if b.rewards == 0 {
		b.mean = reward
	}
	b.rewards++
	over := reward - b.mean
	b.mean = decay*b.mean + (1-decay)*reward
	return over
}

func (s *scheduledSampler) Epoch(e int) (int, error) {
	run := s.pass.run
	begins, err := s.pass.begins(e)
	if err != nil || !begins {
		return run.steps(), err
	}
	s.pass.begin(s.draws.perm(epochOrder, e, 0, run.Pairs)[:run.steps()*run.BatchSize])
	s.built, s.region = 0, region{}
	return run.steps(), nil
}

func (s *scheduledSampler) Next() ([]int, error) {
	if s.pass.epoch > 0 && s.pass.handed == s.built && s.built < s.pass.run.steps() {
		if err := s.build(); err != nil {
			return nil, err
		}
	}
	return s.pass.next()
}

// build makes the next mini-batch of a scheduled epoch (FALCON, Algorithm 1). It fails where the policy has diverged.
func (s *scheduledSampler) build() error {
	run, at := s.pass.run, s.built*s.pass.run.BatchSize
	if s.region.members == nil {
		s.begin(s.pass.order[at:min(len(s.pass.order), at+s.SearchSpace)])
	}
	space := s.region.space
	draw := random.Stream(run.Seed, "sampler", "quantile", s.pass.epoch, s.built)
	var d decision
	anchor := space.Nth(s.draws.below(chainStart, s.pass.epoch, at, space.Remaining()))
	for k := range run.BatchSize {
		s.pass.order[at+k] = s.region.members[anchor]
		space.Take(anchor)
		if k == run.BatchSize-1 {
			break
		}
		if k == 0 || !s.Shared {
			state := space.State(anchor)
			if s.Remaining {
				state = space.RemainingState(anchor)
			}
			d.states = append(d.states, state...)
			if !s.Raw {
				scale(d.states[len(d.states)-s.Quantiles:], float32(s.Quantiles))
			}
			beta := s.policy.Predict(d.states[len(d.states)-s.Quantiles:])
			if !beta.Valid() {
				return fmt.Errorf("negative: epoch %d, mini-batch %d: FALCON's policy gives %+v, of which no quantile can be drawn; it has "+
					"diverged: lower its learning rate", s.pass.epoch, s.built, beta)
			}
			q := beta.Draw(draw)
			if len(s.Probe) > 0 {
				q = s.Probe[s.built%len(s.Probe)]
			}
			d.betas, d.draws = append(d.betas, beta), append(d.draws, q)
		}
		anchor = space.Pick(anchor, s.quantile(d.draws[len(d.draws)-1]))
	}
	s.pending = append(s.pending, d)
	s.built++
	if space.Remaining() == 0 {
		s.region = region{}
	}
	return nil
}

// begin makes pairs the search space, by the embeddings of the epoch before.
func (s *scheduledSampler) begin(pairs []int) {
	dim := s.pass.run.Dim
	r := region{members: slices.Clone(pairs), image: make([]float32, 0, len(pairs)*dim), text: make([]float32, 0, len(pairs)*dim)}
	for _, pair := range pairs {
		r.image = append(r.image, s.image[pair*dim:(pair+1)*dim]...)
		r.text = append(r.text, s.text[pair*dim:(pair+1)*dim]...)
	}
	r.space = scheduler.NewSpace(r.image, r.text, dim, s.Quantiles)
	s.region = r
}

func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}

func (s *scheduledSampler) Observe(o Observation) error {
	run := s.pass.run
	if err := o.check("scheduled", s.pass.epoch, run.Dim); err != nil {
		return err
	}
	if err := s.pass.observe(o.Pairs); err != nil {
		return err
	}
	for i, pair := range o.Pairs {
		copy(s.image[pair*run.Dim:(pair+1)*run.Dim], o.Image[i*run.Dim:])
		copy(s.text[pair*run.Dim:(pair+1)*run.Dim], o.Text[i*run.Dim:])
	}
	s.choices = s.choices[:0]
	if s.pass.epoch == 0 {
		return nil
	}
	d := s.pending[0]
	s.pending = s.pending[1:]
	for k, pair := range o.Pairs[:run.BatchSize-1] {
		of := min(k, len(d.draws)-1)
		s.choices = append(s.choices, Choice{Anchor: pair, Picked: o.Pairs[k+1], Quantile: s.quantile(d.draws[of]), Beta: d.betas[of]})
	}
	advantage := s.reward.advantage(o.Improvement, s.Baseline)
	if len(s.Probe) == 0 {
		s.policy.Update(d.states, d.draws, advantage)
	}
	return nil
}

// Choices implements Scheduler.
func (s *scheduledSampler) Choices() []Choice { return s.choices }

// Similarities implements Scheduler. The anchors are those of a named stream, the same in every epoch.
func (s *scheduledSampler) Similarities(anchors, bins int) (i2t, t2i []int) {
	run := s.pass.run
	i2t, t2i = make([]int, bins), make([]int, bins)
	all := func(rows []float32) blas32.General {
		return blas32.General{Rows: run.Pairs, Cols: run.Dim, Stride: run.Dim, Data: rows}
	}
	cosines := blas32.Vector{N: run.Pairs, Inc: 1, Data: make([]float32, run.Pairs)}
	for _, anchor := range random.Stream(run.Seed, "sampler", "similarities").Perm(run.Pairs)[:min(anchors, run.Pairs)] {
		for _, side := range []struct {
			anchors, candidates []float32
			counts              []int
		}{{s.image, s.text, i2t}, {s.text, s.image, t2i}} {
			row := blas32.Vector{N: run.Dim, Inc: 1, Data: side.anchors[anchor*run.Dim : (anchor+1)*run.Dim]}
			blas32.Gemv(blas.NoTrans, 1, all(side.candidates), row, 0, cosines)
			for j, c := range cosines.Data {
				if j != anchor {
					side.counts[min(bins-1, max(0, int(math.Floor(float64(c+1)/2*float64(bins)))))]++
				}
			}
		}
	}
	return i2t, t2i
}

const scheduledState = "vlpx scheduled sampler 1"

func (s *scheduledSampler) code(c *coder) {
	run, space, policy := s.pass.run, s.SearchSpace, ""
	if !c.reading {
		data, err := s.policy.MarshalBinary()
		if err != nil {
			c.err = errors.Join(c.err, err)
		}
		policy = string(data)
	}
	c.kind(scheduledState)
	if c.number(&space); space != s.SearchSpace {
		c.fail("saved with search space %d, this run has %d", space, s.SearchSpace)
	}
	c.pass(&s.pass)
	c.text(&policy)
	c.float(&s.reward.mean)
	c.number(&s.reward.rewards)
	c.floats(&s.image)
	c.floats(&s.text)
	c.number(&s.built)
	c.pairs(&s.region.members, run.Pairs)
	c.floats(&s.region.image)
	c.floats(&s.region.text)
	if c.reading {
		if s.possible(c); c.err != nil {
			return
		}
		s.pending, s.choices = make([]decision, max(0, s.built-s.pass.observed)), nil
	}
	for k := range s.pending {
		s.decided(c, k)
	}
	if !c.reading || c.end() != nil {
		return
	}
	if err := s.policy.UnmarshalBinary([]byte(policy)); err != nil {
		c.fail("%w", err)
		return
	}
	if err := s.reopen(&s.region, s.pass, s.built); err != nil {
		c.err = errors.Join(c.err, err)
	}
}

// possible fails where what was read does not fit together.
func (s *scheduledSampler) possible(c *coder) {
	run, p, r := s.pass.run, s.pass, s.region
	switch {
	case len(s.image) != run.Pairs*run.Dim || len(s.text) != len(s.image):
		c.fail("%d and %d numbers of embeddings for %d pairs of width %d", len(s.image), len(s.text), run.Pairs, run.Dim)
	case p.epoch > 0 && (s.built < p.observed || s.built > run.steps()) || p.epoch <= 0 && s.built != 0:
		c.fail("%d mini-batches built in epoch %d with %d observed", s.built, p.epoch, p.observed)
	case len(r.image) != len(r.members)*run.Dim || len(r.text) != len(r.image):
		c.fail("%d and %d numbers of embeddings for a search space of %d pairs", len(r.image), len(r.text), len(r.members))
	}
}

// decided is one of the pending decisions.
func (s *scheduledSampler) decided(c *coder, k int) {
	d := &s.pending[k]
	c.floats(&d.states)
	if c.reading {
		anchors := s.pass.run.BatchSize - 1
		if s.Shared {
			anchors = 1
		}
		if len(d.states) != anchors*s.Quantiles {
			c.fail("mini-batch %d: %d numbers of state for %d anchors", s.pass.observed+k, len(d.states), anchors)
			return
		}
		d.draws, d.betas = make([]float64, anchors), make([]scheduler.Beta, anchors)
	}
	for i := range d.draws {
		c.float(&d.draws[i])
		c.float(&d.betas[i].A)
		c.float(&d.betas[i].B)
		if b := d.betas[i]; c.reading && !b.Valid() {
			c.fail("mini-batch %d: %+v is no distribution", s.pass.observed+k, b)
		}
		if err := checkQuantile(d.draws[i]); c.reading && err != nil {
			c.fail("mini-batch %d: %v", s.pass.observed+k, err)
		}
	}
}

func (s *scheduledSampler) MarshalBinary() ([]byte, error)    { return encode(s) }
func (s *scheduledSampler) UnmarshalBinary(data []byte) error { return decode(s, data) }

// reopen builds the search space of a saved region again and takes from it what its mini-batches have taken.
func (s *scheduledSampler) reopen(r *region, p pass, built int) error {
	if len(r.members) == 0 {
		r.members = nil
		return nil
	}
	done := built * s.pass.run.BatchSize
	begun := (done - 1) / s.SearchSpace * s.SearchSpace
	entries := map[int]int{}
	for i, pair := range r.members {
		entries[pair] = i
	}
	if done == 0 || len(entries) != min(s.SearchSpace, len(p.order)-begun) || len(entries) != len(r.members) {
		return fmt.Errorf("negative: sampler state: a search space of %d pairs after %d mini-batches cannot be", len(r.members), built)
	}
	r.space = scheduler.NewSpace(r.image, r.text, s.pass.run.Dim, s.Quantiles)
	for _, pair := range p.order[begun:done] {
		entry, in := entries[pair]
		if !in {
			return fmt.Errorf("negative: sampler state: pair %d of a built mini-batch is not in its search space", pair)
		}
		delete(entries, pair)
		r.space.Take(entry)
	}
	return nil
}
