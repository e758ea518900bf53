package paper

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"vlpx.internal/vlpx/train"
)

// companion is a setting that moves with others unless it is set apart.
type companion struct {
	name string
	with []string // any of these
	how  string   // what it then is, in a few words
	// move changes it; was is the scale before.
	move func(s *Scale, was Scale)
}

// companions are the settings that move with others, after those that they move with.
func companions() []companion {
	all := []companion{
		{"schedule.epochs", []string{"epochs", "warmstart"}, "the epochs of warm start and run", func(s *Scale, _ Scale) { s.Schedule.Epochs = 0 }},
		{"schedule.ramp", []string{"epochs"}, "the same share of the epochs", func(s *Scale, was Scale) {
			if was.Epochs > 0 {
				s.Schedule.Ramp *= float64(s.Epochs) / float64(was.Epochs)
			}
		}},
		{"schedule.rate", []string{"batchsize"}, "by the square root of the batch size, where LARS trains", func(s *Scale, was Scale) {
			if was.LARS != (train.LARS{}) && was.BatchSize > 0 && s.BatchSize > 0 {
				s.Schedule.Rate *= math.Sqrt(float64(s.BatchSize) / float64(was.BatchSize))
			}
		}},
		{"searchspace", []string{"batchsize"}, "the nearest multiple", func(s *Scale, _ Scale) { s.SearchSpace = multiple(s.SearchSpace, s.BatchSize) }},
		{"groupqueue", []string{"batchsize", "searchspace"}, "the nearest multiple", func(s *Scale, _ Scale) {
			s.GroupQueue = multiple(s.GroupQueue, s.SearchSpace)
		}},
		{"momentumqueue", []string{"batchsize"}, "the nearest multiple", func(s *Scale, _ Scale) { s.MomentumQueue = multiple(s.MomentumQueue, s.BatchSize) }},
		{"tuning.queue", []string{"batchsize", "momentumqueue", "tuning.batchsize"}, "the nearest multiple of the fine-tuning's mini-batch", func(s *Scale, _ Scale) {
			queue := cmp.Or(s.Tuning.Queue, s.MomentumQueue)
			if whole := multiple(queue, cmp.Or(s.Tuning.BatchSize, s.BatchSize)); whole != queue {
				s.Tuning.Queue = whole
			}
		}},
		{"scenes.size", []string{"image"}, "the same, where it was", func(s *Scale, was Scale) {
			if was.Scenes.Size == was.Image {
				s.Scenes.Size = s.Image
			}
		}},
		{"image", []string{"scenes.size"}, "the same, where it was", func(s *Scale, was Scale) {
			if was.Image == was.Scenes.Size {
				s.Image = s.Scenes.Size
			}
		}},
		{"locked.side", []string{"image", "patch"}, "the patches of an encoder of our own", func(s *Scale, was Scale) {
			if was.Locked.Epochs > 0 && was.Patch > 0 && was.Locked.Side == was.Image/was.Patch && s.Patch > 0 {
				s.Locked.Side = s.Image / s.Patch
			}
		}},
		{"heads", []string{"width"}, "about as wide each as before", func(s *Scale, was Scale) { s.Heads = heads(was.Heads, was.Width, s.Width) }},
		{"mlp", []string{"width"}, "as many times as wide as before", func(s *Scale, was Scale) { s.MLP = inProportion(was.MLP, was.Width, s.Width) }},
		{"textheads", []string{"textwidth"}, "about as wide each as before", func(s *Scale, was Scale) {
			s.TextHeads = heads(cmp.Or(was.TextHeads, s.Heads), cmp.Or(was.TextWidth, s.Width), s.TextWidth)
		}},
		{"textmlp", []string{"textwidth"}, "as many times as wide as before", func(s *Scale, was Scale) {
			s.TextMLP = inProportion(cmp.Or(was.TextMLP, s.MLP), cmp.Or(was.TextWidth, s.Width), s.TextWidth)
		}},
		{"positions", []string{"maxlen"}, "as many as that, at least", func(s *Scale, _ Scale) { s.Positions = max(s.Positions, s.MaxLen) }},
		{"schedule.warmup", []string{"schedule.rate"}, "that at most", func(s *Scale, _ Scale) { s.Schedule.Warmup = min(s.Schedule.Warmup, s.Schedule.Rate) }},
		{"schedule.min", []string{"schedule.rate"}, "that at most", func(s *Scale, _ Scale) { s.Schedule.Min = min(s.Schedule.Min, s.Schedule.Rate) }},
	}
	for _, regime := range []struct {
		name string
		of   func(*Scale) *Tuning
	}{
		{"tuning", func(s *Scale) *Tuning { return &s.Tuning }}, {"vqa", func(s *Scale) *Tuning { return &s.VQA }},
		{"nlvr", func(s *Scale) *Tuning { return &s.NLVR }}, {"assignment", func(s *Scale) *Tuning { return &s.Assignment }},
		{"generation", func(s *Scale) *Tuning { return &s.Generation }}, {"captioning", func(s *Scale) *Tuning { return &s.Captioning }},
		{"language", func(s *Scale) *Tuning { return &s.Language }},
	} {
		all = append(all, companion{regime.name + ".min", []string{regime.name + ".rate"}, "that at most", func(s *Scale, _ Scale) {
			t := regime.of(s)
			t.Min = min(t.Min, t.Rate)
		}})
	}
	return all
}

// together moves what belongs to settings that have changed and was not set apart.
func (s *Scale) together(was Scale) {
	changed := func(name string) bool {
		x := Settable{Name: name} // none of them has another name than its field
		return !reflect.DeepEqual(x.of(s).Interface(), x.of(&was).Interface())
	}
	s.moved = slices.Clone(s.moved)
	for _, c := range companions() {
		i := slices.IndexFunc(c.with, changed)
		if i < 0 || slices.Contains(s.apart, c.name) {
			continue
		}
		x := Settable{Name: c.name}
		before := x.Value(*s)
		if c.move(s, was); x.Value(*s) != before {
			s.moved = append(s.moved, movement{with: c.with[i], name: c.name, was: before, is: x.Value(*s), how: c.how})
		}
	}
}

// movement is a setting that moved with another one.
type movement struct{ with, name, was, is, how string }

// Moved tells which settings moved with those that the request or a row sets and made a difference, a line for each of these.
func (p *Plan) Moved() ([]string, error) {
	var moved []movement
	if len(p.Scale.moved) > 0 {
		now, err := p.with(p.planner.Set)
		if err != nil {
			return nil, err
		}
		moved = slices.DeleteFunc(slices.Clone(p.Scale.moved), func(m movement) bool {
			apart, err := p.with(append(slices.Clone(p.planner.Set), m.name+"="+m.was))
			return err == nil && slices.Equal(apart.identities(), now.identities())
		})
	}
	told := tellMoved("", moved)
	for i, row := range p.Experiment.Rows {
		s := p.Scale
		if len(p.Rows[i]) == 0 || len(row.Set) == 0 || s.SetAll(row.Set) != nil {
			continue
		}
		told = append(told, tellMoved(row.Name+": ", slices.DeleteFunc(slices.Clone(s.moved[len(p.Scale.moved):]), func(m movement) bool {
			still := row
			still.Set = append(slices.Clone(row.Set), m.name+"="+m.was)
			of, err := p.seeded(still, p.Seeds[:1])
			return err == nil && slices.Equal(of.identity(), p.identity(i))
		}))...)
	}
	return told, nil
}

func tellMoved(of string, moved []movement) (lines []string) {
	for len(moved) > 0 {
		with := moved[0].with
		var what []string
		for _, m := range moved {
			if m.with == with {
				what = append(what, fmt.Sprintf("%s from %s to %s (%s)", m.name, m.was, m.is, m.how))
			}
		}
		lines = append(lines, fmt.Sprintf("%swith %s %s %s; a setting of its own keeps one apart", of, with, plural(len(what), "moves", "move"), listed(what)))
		moved = slices.DeleteFunc(slices.Clone(moved), func(m movement) bool { return m.with == with })
	}
	return lines
}

// Swings tells of rows whose learning rate comes to the end of its cosine before training does, and rises again: a line for each such length.
func (p *Plan) Swings() (lines []string) {
	rows := map[[2]int][]string{}
	var order [][2]int
	for i, runs := range p.Rows {
		if len(runs) == 0 {
			continue
		}
		c := runs[0].Train
		lengths := [2]int{c.Schedule.Epochs, c.Schedule.Past + c.Epochs}
		if c.Schedule.Linear || lengths[0] >= lengths[1] {
			continue
		}
		if rows[lengths] == nil {
			order = append(order, lengths)
		}
		rows[lengths] = append(rows[lengths], p.Experiment.Rows[i].Name)
	}
	for _, lengths := range order {
		lines = append(lines, fmt.Sprintf("the learning rate of %s is at its least after %d of %d epochs and rises again from there; leave schedule.epochs out, or set it to %d",
			listed(rows[lengths]), lengths[0], lengths[1], lengths[1]))
	}
	return lines
}

// Moves tells what moves with a setting, and with what it moves, in sentences; empty where nothing does.
func (x Settable) Moves() string {
	var moves []string
	var moved companion
	for _, c := range companions() {
		if slices.Contains(c.with, x.Name) {
			moves = append(moves, fmt.Sprintf("%s (%s)", c.name, c.how))
		}
		if c.name == x.Name {
			moved = c
		}
	}
	var told []string
	if moves != nil {
		told = append(told, fmt.Sprintf("With it %s %s, unless set apart.", plural(len(moves), "moves", "move"), listed(moves)))
	}
	if moved.with != nil {
		told = append(told, fmt.Sprintf("It moves with %s (%s), unless set apart.", listed(moved.with), moved.how))
	}
	return strings.Join(told, " ")
}

// multiple is the multiple of a size that is nearest to n, and one at least; n where there is no size or nothing to change.
func multiple(n, of int) int {
	if n <= 0 || of <= 0 {
		return n
	}
	return max((n+of/2)/of, 1) * of
}

// heads are as many as divide a new width and are about as wide each as those of the old one.
func heads(n, width, next int) int {
	if n <= 0 || width <= 0 || next <= 0 {
		return n
	}
	want, best := float64(n)*float64(next)/float64(width), 1
	for k := 1; k <= next; k++ {
		if next%k == 0 && math.Abs(float64(k)-want) < math.Abs(float64(best)-want) {
			best = k
		}
	}
	return best
}

// inProportion is n times as many as the new size has of the old one.
func inProportion(n, size, next int) int {
	if size <= 0 || next <= 0 {
		return n
	}
	return n * next / size
}
