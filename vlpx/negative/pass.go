package negative

import (
	"fmt"
	"slices"
)

// pass walks through the order of one epoch: it hands out mini-batches and ticks off the observed ones.
type pass struct {
	run      Start
	epoch    int   // -1 before the first
	order    []int // steps*BatchSize pair indices
	handed   int   // mini-batches
	observed int   // mini-batches
}

func newPass(run Start) pass { return pass{run: run, epoch: -1} }

// begins reports whether epoch e is to begin now; false without an error means that it is in progress already.
func (p *pass) begins(e int) (bool, error) {
	switch {
	case e == p.epoch && e >= 0:
		return false, nil
	case e != p.epoch+1:
		return false, fmt.Errorf("negative: epoch %d asked for; the next one is %d", e, p.epoch+1)
	case e >= p.run.Epochs:
		return false, fmt.Errorf("negative: epoch %d asked for in a run of %d epochs", e, p.run.Epochs)
	case p.epoch >= 0 && !p.done():
		return false, fmt.Errorf("negative: epoch %d asked for after %d of %d observed mini-batches of epoch %d; observe all of them first",
			e, p.observed, p.run.steps(), p.epoch)
	}
	return true, nil
}

func (p *pass) begin(order []int) {
	p.epoch++
	p.order, p.handed, p.observed = order, 0, 0
}

// done reports whether every mini-batch of the epoch was observed.
func (p *pass) done() bool { return p.observed == p.run.steps() }

func (p *pass) batch(k int) []int {
	return p.order[k*p.run.BatchSize : (k+1)*p.run.BatchSize : (k+1)*p.run.BatchSize]
}

func (p *pass) next() ([]int, error) {
	if p.epoch < 0 || p.handed == p.run.steps() {
		return nil, fmt.Errorf("negative: epoch %d has no mini-batch left; call Epoch(%d)", p.epoch, p.epoch+1)
	}
	p.handed++
	return p.batch(p.handed - 1), nil
}

func (p *pass) observe(pairs []int) error {
	if p.observed == p.handed {
		return fmt.Errorf("negative: epoch %d: an observation without a mini-batch handed out before it; call Next first", p.epoch)
	}
	if want := p.batch(p.observed); !slices.Equal(pairs, want) {
		return fmt.Errorf("negative: epoch %d: mini-batch %d observed out of order: got pairs %v, handed out %v", p.epoch,
			p.observed, pairs,
			want)
	}
	p.observed++
	return nil
}
