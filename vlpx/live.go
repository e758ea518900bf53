package vlpx

import (
	"fmt"
	"sync"
	"time"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
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

// liveSeries are as many curves as can be told apart at a glance; of more runs, the latest.
const liveSeries = 7

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

// curves are the losses of the run that trains, step by step, and of every run of the grid with that seed, retrieval on the validation
// split epoch by epoch. They are read from the store's files; nil while there is nothing to draw.
func (g *Grid) curves(p Progress) (plots.Drawing, error) {
	steps := p.Training.Steps / max(p.Training.Epochs, 1)
	of, err := train.ReadCurves(g.Store.Dir(p.at))
	if err != nil || len(of.Points) < 2 || steps == 0 {
		return nil, err
	}
	var losses []plots.Series
	for _, name := range p.at.Train.Framework.Losses() {
		s := plots.Series{Name: string(name)}
		for _, at := range of.Points {
			if loss, told := at.Losses[name]; told {
				s.X, s.Mean = append(s.X, float64(at.Epoch*steps+at.Step)), append(s.Mean, loss)
			}
		}
		if len(s.X) > 0 {
			losses = append(losses, s)
		}
	}
	f := plots.Figure{Panels: []plots.Panel{
		plots.Lines{Title: fmt.Sprintf("Loss of %s, seed %d", p.at.Train.Method.Name, p.Seed), XLabel: "step", YLabel: "loss (nats)", Series: losses},
	}}
	recall := plots.Lines{Title: "Retrieval, validation split", XLabel: "epoch", YLabel: "mean recall (%)"}
	for _, r := range g.Plan.Runs() {
		if r.Train.Seed != p.Seed {
			continue
		}
		s, err := g.recall(r)
		if err != nil {
			return nil, err
		}
		if len(s.X) > 0 {
			recall.Series = append(recall.Series, s)
		}
	}
	recall.Series = recall.Series[max(0, len(recall.Series)-liveSeries):]
	if len(recall.Series) > 0 {
		f.Panels = append(f.Panels, recall)
	}
	return f, nil
}

// recall is the mean recall of a run after each epoch; no points where there is none yet.
func (g *Grid) recall(r run.Run) (plots.Series, error) {
	s := plots.Series{Name: r.Train.Method.Name}
	of, err := train.ReadCurves(g.Store.Dir(r))
	for _, record := range of.Epochs {
		if v, measured := record.Metrics[string(eval.RMean)]; measured {
			s.X, s.Mean = append(s.X, float64(record.Epoch+1)), append(s.Mean, v)
		}
	}
	return s, err
}
