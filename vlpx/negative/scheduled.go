package negative

import (
	"cmp"
	"fmt"
	"math"

	"vlpx.internal/vlpx/scheduler"
)

// Scheduled is FALCON's mini-batch construction (FALCON, section 3; METHODS.md 14). Epoch 0 is uniform. In every later epoch
// the pairs are shuffled and cut into search spaces; in each, mini-batches are built one after another by a chain that starts
// at a random unused pair, and each anchor's next pair stands at a quantile of hardness among the unused ones that a policy
// draws from a Beta distribution of its own for the anchor. The policy sees the distribution of the anchor's similarities in
// the search space, by the embeddings of the epoch before, and learns by policy gradient from how much the step improved the
// model.
//
// The paper has published no code. Where its text is silent the zero value is our reading, measured in docs/FALCON.md.
type Scheduled struct {
	SearchSpace int        // pairs, a multiple of the batch size; 0 takes the scale's, without a scale the published 5,664
	Objectives  Objectives // whose improvement is the reward; none takes MLM (FALCON, section 3.3)
	Quantiles   int        // of an anchor's similarities that the policy sees, M; 0 takes the published 100
	Hidden      int        // width of the policy's layers; 0 takes the published 256
	Blocks      int        // residual blocks; 0 takes the published 2
	Rate        float64    // the policy's learning rate; 0 takes the published 1e-4

	// Shared draws one quantile a mini-batch, from its first anchor's distribution, instead of one an anchor (FALCON, table 4,
	// instance-based: false).
	Shared bool `json:",omitempty"`
	// Baseline is the decay of a running mean of the rewards that is taken off each; 0 for none, as the paper's text has it.
	Baseline float64 `json:",omitempty"`
	// Open makes the Beta's parameters softplus(z) instead of 1 + softplus(z).
	Open bool `json:",omitempty"`
	// Raw shows the policy the softmaxed quantiles, whose mean is 1/M, instead of M times them.
	Raw bool `json:",omitempty"`
	// Remaining takes the quantiles over the unused pairs at each hop instead of over the whole search space once.
	Remaining bool `json:",omitempty"`
	// LogRank lets what is drawn count orders of magnitude of rank: a draw of a stands for the quantile (1 - M^-a) / (1 - 1/M) of a search
	// space of M, so that equal steps narrow the harder part by equal factors. It is ours: of 31 random negatives the hardest lies at
	// .97, and a Beta distribution that begins at a half hardly ever draws what is harder.
	LogRank bool `json:",omitempty"`
	// Lookahead is how many mini-batches may be built before the reward of the one before them is known, so that the loader
	// prepares them meanwhile; 0 is the paper's Algorithm 2.
	Lookahead int `json:",omitempty"`
	// Probe measures instead of learning: mini-batch k is built at the one quantile Probe[k mod len(Probe)], the policy is
	// left alone, and the rewards report what it would be taught.
	Probe []float64 `json:",omitempty"`
}

// Sized implements [Sized].
func (s Scheduled) Sized(of Sizes) any {
	s.SearchSpace = cmp.Or(s.SearchSpace, of.SearchSpace)
	return s
}

// Reward implements Rewarded.
func (s Scheduled) Reward() Objectives { return s.withDefaults().Objectives }

// Ahead implements Rewarded. Epoch 0 waits for no reward.
func (s Scheduled) Ahead(epoch int) int {
	if epoch == 0 {
		return max(s.Lookahead, 2)
	}
	return s.Lookahead
}

func (s Scheduled) withDefaults() Scheduled {
	if s.SearchSpace == 0 {
		s.SearchSpace = 5664
	}
	if s.Objectives == All {
		s.Objectives = Of(MLM)
	}
	if s.Quantiles == 0 {
		s.Quantiles = 100
	}
	if s.Hidden == 0 {
		s.Hidden = 256
	}
	if s.Blocks == 0 {
		s.Blocks = 2
	}
	if s.Rate == 0 {
		s.Rate = 1e-4
	}
	return s
}

// quantile is that for which a draw of the policy stands.
func (s Scheduled) quantile(draw float64) float64 {
	if !s.LogRank {
		return draw
	}
	m := float64(s.SearchSpace)
	return min(-math.Expm1(-draw*math.Log(m))/(1-1/m), 1)
}

// mostPolicy bounds a layer's weights and the blocks' of the policy, which has 50,000 as published.
const mostPolicy = 1 << 26

func (s Scheduled) check(run Start) error {
	if err := run.check(); err != nil {
		return err
	}
	switch {
	case s.SearchSpace < 0 || s.SearchSpace%run.BatchSize != 0:
		return fmt.Errorf("negative: scheduled: search space %d is no multiple of the batch size %d; take searchspace=%d",
			s.SearchSpace, run.BatchSize, multipleAbove(max(s.SearchSpace, 1), run.BatchSize))
	case s.Quantiles < 2 || s.Hidden < 1 || s.Blocks < 0:
		return fmt.Errorf("negative: scheduled: a policy of %d quantiles, %d hidden units and %d blocks; take at least 2, 1 and 0 "+
			"(settings falcon.quantiles, falcon.hidden, falcon.blocks)",
			s.Quantiles, s.Hidden, s.Blocks)
	case s.Hidden > mostPolicy/(s.Quantiles+1) || s.Blocks > mostPolicy/s.Hidden/s.Hidden:
		return fmt.Errorf("negative: scheduled: a policy of %d quantiles, %d hidden units and %d blocks has more than %d weights; take fewer "+
			"(settings falcon.quantiles, falcon.hidden, falcon.blocks)",
			s.Quantiles, s.Hidden, s.Blocks, mostPolicy)
	case !(s.Rate > 0):
		return fmt.Errorf("negative: scheduled: learning rate %g; it must be positive", s.Rate)
	case !(s.Baseline >= 0 && s.Baseline < 1):
		return fmt.Errorf("negative: scheduled: a baseline of decay %g; it lies in [0, 1)", s.Baseline)
	case s.LogRank && s.SearchSpace < 2:
		return fmt.Errorf("negative: scheduled: the logarithm of the rank in a search space of %d; take more pairs (setting searchspace)",
			s.SearchSpace)
	case s.LogRank && len(s.Probe) > 0:
		return fmt.Errorf("negative: scheduled: a probe builds at quantiles and draws none, and LogRank is of what is drawn; take one of them")
	case s.Lookahead < 0:
		return fmt.Errorf("negative: scheduled: a lookahead of %d mini-batches; it cannot be negative", s.Lookahead)
	}
	for _, q := range s.Probe {
		if err := checkQuantile(q); err != nil {
			return err
		}
	}
	return nil
}

// Start returns the sampler of a run. BatchSize must divide SearchSpace.
func (s Scheduled) Start(run Start) (Sampler, error) {
	s = s.withDefaults()
	if err := s.check(run); err != nil {
		return nil, err
	}
	network := scheduler.Network{Inputs: s.Quantiles, Hidden: s.Hidden, Blocks: s.Blocks, Open: s.Open}
	return &scheduledSampler{
		Scheduled: s, pass: newPass(run), draws: seeded(run.Seed),
		policy: scheduler.NewPolicy(network, s.Rate, run.Seed),
		image:  make([]float32, run.Pairs*run.Dim), text: make([]float32, run.Pairs*run.Dim),
	}, nil
}

// FALCON schedules mini-batches by policy gradient, under GRIT-VLP's contrast and matching (FALCON, section 4; METHODS.md 14.5).
func FALCON(s Scheduled) Method { return grit("FALCON", s) }

var falcon = Entry{
	Name:   "FALCON",
	Source: "FALCON; METHODS.md 14",
	What:   "a learned hardness for each anchor",
	At: func(s Sizes) Method {
		b := s.Scheduler
		b.SearchSpace = cmp.Or(b.SearchSpace, s.SearchSpace)
		return FALCON(b)
	},
}
