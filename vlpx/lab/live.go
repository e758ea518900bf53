package lab

import (
	"fmt"
	"sync"
	"time"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/cell"
)

// live shows on a block of the screen how a grid trains: where it is and, where somebody can watch, the curves so far. It draws beside
// the training, no more often than a reader can follow, and so seldom that drawing takes a twentieth of one core at most.
type live struct {
	grid    *Grid
	block   cell.Block
	picture bool

	mu       sync.Mutex
	latest   Progress
	news     bool
	messages []string

	end, ended chan struct{}
}

// Times between pictures: at least redrawEvery, and drawShare times what the last one took.
const (
	redrawEvery = time.Second
	drawShare   = 20
)

// follow begins on a block.
func follow(g *Grid, b cell.Block, picture bool) *live {
	l := &live{grid: g, block: b, picture: picture, end: make(chan struct{}), ended: make(chan struct{})}
	go l.draw()
	return l
}

// hear takes the news; it never waits.
func (l *live) hear(p Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest, l.news = p, true
	if p.Message != "" {
		l.messages = append(l.messages, p.Message)
	}
}

func (l *live) draw() {
	defer close(l.ended)
	pause := 100 * time.Millisecond // the first news soon
	for {
		select {
		case <-l.end:
			l.block.Erase()
			return
		case <-time.After(pause):
		}
		l.mu.Lock()
		p, news := l.latest, l.news
		l.news = false
		l.mu.Unlock()
		if !news {
			continue
		}
		begun := time.Now()
		text := p.String()
		var picture plots.Drawing
		if l.picture {
			var err error
			if picture, err = l.grid.curves(p); err != nil {
				text += fmt.Sprintf("\nno curves: %v", err)
			}
		}
		l.block.Set(text, picture)
		pause = max(redrawEvery, drawShare*time.Since(begun))
	}
}

// close takes the block off the screen and returns the messages, which a step may have covered.
func (l *live) close() []string {
	close(l.end)
	<-l.ended
	return l.messages
}
