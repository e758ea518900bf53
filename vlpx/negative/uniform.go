package negative

// Uniform shuffles all pairs every epoch and cuts them into mini-batches. The remainder that does not fill one is dropped, a
// different one each epoch.
type Uniform struct{}

// Start returns the sampler of a run.
func (Uniform) Start(run Start) (Sampler, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	return &uniformSampler{pass: newPass(run), draws: seeded(run.Seed)}, nil
}

type uniformSampler struct {
	pass  pass
	draws draws
}

func (s *uniformSampler) Epoch(e int) (int, error) {
	begins, err := s.pass.begins(e)
	if err != nil {
		return 0, err
	}
	steps := s.pass.run.steps()
	if begins {
		s.pass.begin(s.draws.perm(epochOrder, e, 0, s.pass.run.Pairs)[:steps*s.pass.run.BatchSize])
	}
	return steps, nil
}

func (s *uniformSampler) Next() ([]int, error) { return s.pass.next() }

func (s *uniformSampler) Observe(o Observation) error { return s.pass.observe(o.Pairs) }

const uniformState = "vlpx uniform sampler 1"

func (s *uniformSampler) code(c *coder) {
	c.kind(uniformState)
	c.pass(&s.pass)
}

func (s *uniformSampler) MarshalBinary() ([]byte, error)    { return encode(s) }
func (s *uniformSampler) UnmarshalBinary(data []byte) error { return decode(s, data) }
