package loader

import (
	"context"
	"errors"
	"image"
	"sync/atomic"
	"testing"
	"time"
)

// together is a set whose images are opened when as many are asked for at once as there are to be.
type together struct {
	toys
	at    int64
	asked *atomic.Int64
	all   []chan struct{} // closed when that many groups are complete
}

func (s together) Image(ctx context.Context, i int) (image.Image, error) {
	alone := errors.New("the others are not asked for")
	order := s.asked.Add(1) - 1
	if order >= s.at*int64(len(s.all)) { // in the place of images that failed
		return nil, alone
	}
	group := s.all[order/s.at]
	if (order+1)%s.at == 0 {
		close(group)
	}
	select {
	case <-group:
	case <-time.After(5 * time.Second):
		return nil, alone
	}
	return s.toys.Image(ctx, i)
}

// Workers have an image each at the same time, within a mini-batch and from one to the next, so that time falls with their number as long
// as there are cores: 4 images of 4 workers wait for each other, 18 times, and mini-batches have 12.
func TestWorkersHaveImagesAtOnce(t *testing.T) {
	const workers, batch, steps = 4, 12, 6
	set := together{toys: toys{n: batch * steps}, at: workers, asked: new(atomic.Int64)}
	for range batch * steps / workers {
		set.all = append(set.all, make(chan struct{}))
	}
	c := config(t, set)
	c.Workers = workers
	var requests []Request
	for step := range steps {
		r := Request{Step: step}
		for k := range batch {
			r.Pairs = append(r.Pairs, 2*(step*batch+k)) // two captions an image
		}
		requests = append(requests, r)
	}
	for _, b := range fetch(t, c, requests...) {
		if len(b.Skipped) > 0 {
			t.Fatalf("not %d images at once: %v", workers, b.Skipped[0].Err)
		}
	}
	if got := set.asked.Load(); got != batch*steps {
		t.Errorf("%d images were opened, want %d", got, batch*steps)
	}
}
