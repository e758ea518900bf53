package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Bench shows an ablation bench on a screen until "finish" or an interrupt, and returns the last report. Where nobody can press a button it
// compares the plain method and GRIT-VLP's parts.
func Bench(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
	b, err := newBench(o, s)
	if err != nil {
		return nil, err
	}
	if !s.Live() {
		return b.example(ctx)
	}
	form := b.shown
	if err := form.Open(); err != nil {
		s.Say(err.Error())
		return b.example(ctx)
	}
	defer form.Close()
	return b.serve(ctx, form)
}

// controls are a form on a page that answers.
type controls interface {
	Events() <-chan cell.Event
	Status(text string, pressable ...string)
}

// The buttons of a bench.
const (
	pressRun, pressStop, pressCompare, pressFinish = "run", "stop", "compare", "finish"
)

// seedKey is the control of how many seeds a method is trained with.
const seedKey = "seeds"

type composer struct {
	options Options
	screen  cell.Screen
	shown   *cell.Form
	now     paper.Ablation
	trained []plan.Row // to compare: the plain one first, then Options.Own
	seeds   int
	// Below the form: what trains now, and the latest report, which stays when the form goes.
	progress, results cell.Block
}

func newBench(o Options, s cell.Screen) (*composer, error) {
	if o.Scale == "" {
		o.Scale = "tiny"
	}
	home, err := run.Home(o.Home)
	if err != nil {
		return nil, err
	}
	request, err := o.request(home)
	if err != nil {
		return nil, err
	}
	scale, err := request.Preset()
	if err != nil {
		return nil, err
	}
	if err := scale.SetAll(request.Set); err != nil {
		return nil, err
	}
	b := &composer{options: o, screen: s, now: paper.PlainAblation(scale), seeds: max(1, len(o.Seeds))}
	plain, err := b.now.Row()
	if err != nil {
		return nil, err
	}
	b.trained, b.shown = []plan.Row{plain}, b.form()
	for _, m := range o.Own {
		row, err := plan.Variant(m.Name, o.Own)
		if err != nil {
			return nil, err
		}
		b.trained = append(b.trained, row)
	}
	return b, nil
}

// example is what a bench shows without a person.
func (b *composer) example(ctx context.Context) (*Report, error) {
	b.now.Parts["Batches"], b.now.Parts["Contrast"] = "grouped", "consistency"
	row, err := b.now.Row()
	if err != nil {
		return nil, err
	}
	b.keep(row)
	return b.compare(ctx)
}

func (b *composer) keep(row plan.Row) {
	if !slices.ContainsFunc(b.trained, func(r plan.Row) bool { return r.Name == row.Name }) {
		b.trained = append(b.trained, row)
	}
}

// compare trains what is missing and shows all rows.
func (b *composer) compare(ctx context.Context) (*Report, error) {
	grid, err := openRows(b.trained, b.withSeeds())
	if err != nil {
		return nil, err
	}
	return grid.MakeAndShow(ctx, b.screen)
}

// withSeeds are the options with as many seeds as the form says.
func (b *composer) withSeeds() Options {
	o := b.options
	o.Seeds = slices.Clone(o.Seeds)
	for seed := uint64(1); len(o.Seeds) < b.seeds; seed++ {
		if !slices.Contains(o.Seeds, seed) {
			o.Seeds = append(o.Seeds, seed)
		}
	}
	o.Seeds = o.Seeds[:b.seeds]
	return o
}

// form is the bench's form.
func (b *composer) form() *cell.Form {
	f := &cell.Form{Name: "bench", Buttons: []cell.Button{
		{Name: pressRun, Label: "Run"}, {Name: pressStop, Label: "Stop"}, {Name: pressCompare, Label: "Compare"},
		{Name: pressFinish, Label: "Finish"},
	}}
	for _, role := range negative.Roles() {
		c := cell.Control{Name: role.Label, Label: role.Label}
		var hints []string
		for _, p := range paper.Parts(role) {
			c.Options = append(c.Options, p.Name)
			hints = append(hints, p.Name+": "+p.What)
		}
		c.Value, c.Hint = c.Options[0], strings.Join(hints, "\n")
		f.Controls = append(f.Controls, c)
	}
	slider := func(name negative.Setting, label, hint string, value float64, r cell.Range) {
		f.Controls = append(f.Controls, cell.Control{
			Name: string(name), Label: label, Hint: hint, Range: &r, Value: strconv.FormatFloat(value, 'g', 4, 64),
		})
	}
	m := float64(b.now.SearchSpace)
	slider(negative.SearchSpaceSetting, "search space", "pairs that a chain of neighbours runs through", m,
		cell.Range{Min: m / 5, Max: 2 * m, Step: m / 5})
	slider(negative.QuantileSetting, "quantile", "hardness of the negatives: 1 takes the most similar", b.now.Quantile,
		cell.Range{Min: 0, Max: 1, Step: 0.05})
	slider(negative.AlphaSetting, "alpha", "weight of the contrast's soft targets", b.now.Alpha, cell.Range{Min: 0, Max: 1, Step: 0.05})
	slider(paper.TemperatureSetting, "temperature", "of ITC at first; it is learned from there", b.now.Temperature,
		cell.Range{Min: 0.01, Max: 0.5, Step: 0.01})
	slider(seedKey, "seeds", "runs of each method; two let the differences be tested", float64(b.seeds),
		cell.Range{Min: 1, Max: 5, Step: 1})
	return f
}

// set takes a control's new value, one that the control can have.
func (b *composer) set(name, value string) error {
	if err := b.shown.Check(cell.Event{Name: name, Value: value}); err != nil {
		return err
	}
	for _, role := range negative.Roles() {
		if role.Label == name {
			b.now.Parts[role.Name] = value
			return nil
		}
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch negative.Setting(name) {
	case negative.SearchSpaceSetting:
		b.now.SearchSpace = int(v)
	case negative.QuantileSetting:
		b.now.Quantile = v
	case negative.AlphaSetting:
		b.now.Alpha = v
	case paper.TemperatureSetting:
		b.now.Temperature = v
	case seedKey:
		b.seeds = int(v)
	default:
		return fmt.Errorf("no control %q", name)
	}
	return nil
}

// serve answers a person until "finish".
func (b *composer) serve(ctx context.Context, form controls) (*Report, error) {
	idle := []string{pressRun, pressCompare, pressFinish}
	said := "compose a method and run it"
	var last *Report
	b.progress, b.results = b.screen.Block(), b.screen.Block()
	for {
		form.Status(b.describe(said), idle...)
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), cell.ErrOrphaned) {
				return nil, cell.ErrOrphaned
			}
			return last, nil
		case e := <-form.Events():
			said = ""
			rows := b.trained
			switch e.Name {
			case pressStop:
				continue
			case pressFinish:
				return last, nil
			case pressRun:
				row, err := b.now.Row()
				if err != nil {
					said = err.Error()
					continue
				}
				rows = []plan.Row{row}
			case pressCompare:
			default:
				if err := b.set(e.Name, e.Value); err != nil {
					said = err.Error()
				}
				continue
			}
			report, text, err := b.train(ctx, form, rows)
			if err != nil {
				return last, err
			}
			if said = text; report == nil {
				continue
			}
			last = report
			if err := b.results.Show(report.parts()...); err != nil {
				return last, err
			}
			for _, row := range rows {
				b.keep(row)
			}
		}
	}
}

// describe is the line below the buttons.
func (b *composer) describe(said string) string {
	if said != "" {
		return said
	}
	row, err := b.now.Row()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s: press Run; %d to compare", row.Name, len(b.trained))
}

// train trains rows until they are done or Stop is pressed, and reports them. What goes wrong with a composition is returned as text; an
// error means that the bench cannot go on.
func (b *composer) train(ctx context.Context, form controls, rows []plan.Row) (report *Report, text string, err error) {
	grid, err := openRows(rows, b.withSeeds())
	if err != nil {
		return nil, err.Error(), nil
	}
	training, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- grid.makeOn(training, b.screen, b.progress) }()
	said := "training; Stop keeps a checkpoint"
	form.Status(said, pressStop)
	for { // until it is done: what is at work must not outlive this call
		select {
		case e := <-form.Events():
			switch e.Name {
			case pressStop:
				form.Status("stopping: the checkpoint is written")
				stop()
			case pressRun, pressCompare, pressFinish: // pressed before the buttons were greyed
			default:
				if err := b.set(e.Name, e.Value); err != nil {
					form.Status(err.Error()+"; "+said, pressStop)
				}
			}
		case err := <-done:
			switch {
			case ctx.Err() != nil:
				return nil, "", context.Cause(ctx)
			case errors.Is(err, context.Canceled):
				return nil, err.Error(), nil
			case err != nil:
				return nil, err.Error(), nil
			}
			report, err := grid.Report()
			return report, fmt.Sprintf("trained: %s", strings.Join(rowNames(rows), "; ")), err
		}
	}
}

func rowNames(rows []plan.Row) []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}
