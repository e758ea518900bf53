package watchdog

import (
	"context"
	"sync"
	"time"
)

// Dog watches pieces of work of a kind, one after another. A piece gives a sign of life whenever it asks its context whether to go on, as
// what can be cancelled does anyway; a context derived from that one gives none.
type Dog struct {
	First   time.Duration // how long the first silence may be, which compiles, or opens the data
	Later   time.Duration // how long any one after it may be, unless a multiple of the longest one before is more
	Counted time.Duration // how much of the first piece's silence later ones are held against; 0 for all of it

	longest time.Duration // 0 before the first piece has ended
}

// Quiet is how long work of many kinds may be silent, unless it was so before: opening large data, or compiling, takes minutes. It is our
// choice.
const Quiet = 30 * time.Minute

// timesLongest is our choice: a machine that others use, too, is a few times slower now and then.
const timesLongest = 20

// patience is how long a silence may be, by the longest one before; 0 for none.
func (d *Dog) patience(longest time.Duration) time.Duration {
	if longest == 0 {
		return d.First
	}
	return max(d.Later, timesLongest*longest)
}

// Watch calls a function when what begins now is silent for longer than it may. The context is what the work asks; what it derives from is
// not watched meanwhile. The second result ends the watch. A silence is taken for one after two looks, as a process that was suspended
// finds the time up when it goes on.
func (d *Dog) Watch(ctx context.Context, stuck func(after time.Duration)) (asked context.Context, done func()) {
	outer, _ := ctx.Value(key{}).(*signs)
	outer.cover(1)
	s, ended, before := &signs{Context: ctx, last: time.Now()}, make(chan struct{}), d.longest
	go func() {
		seen, looks := 0, 0
		for {
			heard, longest, covered := s.look()
			patience := d.patience(max(before, longest))
			switch {
			case heard != seen || covered:
				seen, looks = heard, 0
			case looks == 2:
				stuck(patience)
			}
			select {
			case <-ended:
				return
			case <-time.After(patience / 2):
				looks++
			}
		}
	}()
	return s, func() {
		close(ended)
		s.hear()
		if d.longest = max(before, s.longest); before == 0 && d.Counted > 0 {
			d.longest = min(d.longest, d.Counted)
		}
		outer.cover(-1)
	}
}

// key finds the signs of the innermost watch in a context.
type key struct{}

// signs is a context that notes when it is asked.
type signs struct {
	context.Context
	lock    sync.Mutex
	last    time.Time
	longest time.Duration // between two signs
	heard   int
	inner   int // watches at work within this one, which see more
}

// Err is that of the context, and a sign of life.
func (s *signs) Err() error {
	s.hear()
	return s.Context.Err()
}

// Done is that of the context, and a sign of life.
func (s *signs) Done() <-chan struct{} {
	s.hear()
	return s.Context.Done()
}

// Value is that of the context.
func (s *signs) Value(of any) any {
	if of == (key{}) {
		return s
	}
	return s.Context.Value(of)
}

func (s *signs) hear() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.longest, s.last = max(s.longest, time.Since(s.last)), time.Now()
	s.heard++
}

// cover adds to the number of watches within this one, whose time is not its own. There may be no signs.
func (s *signs) cover(n int) {
	if s == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.last = time.Now()
	s.heard++
	s.inner += n
}

func (s *signs) look() (heard int, longest time.Duration, covered bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.heard, s.longest, s.inner > 0
}
