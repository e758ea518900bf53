package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gomlx/compute"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/explore"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/watchdog"
)

// exploredBy are the methods that an explorer shows unless the options name others.
var exploredBy = []string{"InfoNCE", "GRIT-VLP", "SRCL", "MAFA"}

// exploredPairs is how many pairs of a split an explorer looks at.
const exploredPairs = 10000

// Explore shows on a screen the negatives of single anchors as a method's model sees them, which is trained first if it is not in the
// store, and the sentences that it writes. Of generated scenes the training split is explored, of a folder the test split, whose pairs
// people may have judged.
func Explore(ctx context.Context, s cell.Screen, model string, o Options) error {
	e, err := openExplorer(ctx, s, model, o)
	if err != nil {
		return err
	}
	defer e.close()
	return guard(func() error { return e.run(ctx) })
}

// openExplorer makes the run that is explored, if it is missing.
func openExplorer(ctx context.Context, s cell.Screen, model string, o Options) (*explorer, error) {
	methods, usual := o.Methods, len(o.Methods) == 0
	if usual {
		methods = exploredBy
	}
	for _, m := range o.Own {
		methods = append(methods[:len(methods):len(methods)], m.Name)
	}
	o.Methods, o.Seeds = nil, append(o.Seeds, 1)[:1]
	grid, err := OpenComparison([]string{model}, o)
	if err != nil {
		return nil, err
	}
	of, scale := grid.Plan.Rows[0][0], grid.Plan.Scale
	if _, embeds := of.Train.Framework.Framework.(framework.Embeds); !embeds && !usual {
		return nil,
			fmt.Errorf("%s makes no embeddings, by which negatives are near that methods are asked about; leave Options.Methods out",
				of.Train.Framework.Name())
	}
	e := &explorer{
		screen: s, home: grid.Home, silence: o.silence,
		side: explore.OfImage, anchor: 1, anchors: map[explore.Side][]int{}, most: min(mostShown, of.Train.BatchSize-1),
		temperature: scale.Writing.Temperature, rate: scale.Writing.Rate,
	}
	e.shown = min(6, e.most)
	for _, name := range methods {
		row, err := plan.Variant(name, o.Own)
		if err != nil {
			return nil, err
		}
		m, err := row.At(scale)
		if err != nil {
			return nil, err
		}
		e.methods = append(e.methods, m)
	}
	if err := grid.makeOn(ctx, s, s.Block()); err != nil {
		return nil, err
	}
	choice, _ := engine.Choose(engine.Cache())
	if e.backend, err = engine.Open(choice); err != nil {
		return nil, err
	}
	split := "train"
	if grid.Plan.Data.Scenes == nil {
		split = "test"
	}
	executor := &run.Executor{Store: grid.Store, Backend: e.backend, Engine: choice.Name}
	if e.of, err = explore.Open(ctx, executor, of, split, exploredPairs); err != nil {
		e.backend.Finalize()
		return nil, err
	}
	if usual && !e.of.Matches() { // then nothing is picked that Positives could judge
		e.methods = slices.DeleteFunc(e.methods, func(m negative.Method) bool { return m.Positives != nil })
	}
	return e, nil
}

type explorer struct {
	screen      cell.Screen
	home        string        // the store's place
	silence     time.Duration // see Options
	backend     compute.Backend
	of          *explore.Explorer
	methods     []negative.Method
	side        explore.Side
	anchor      int                    // among anchors, from 1
	anchors     map[explore.Side][]int // pairs, as far as they were asked for
	shown       int                    // negatives
	most        int                    // of them that can be shown
	temperature float64                // at which sentences are written
	rate        float64                // of the words that are masked to write them
}

// The controls of an explorer.
const (
	sideKey, anchorKey, shownKey, temperatureKey = "side", "anchor", "negatives", "temperature"
	ofImage, ofText                              = "image", "caption"
	anchorsOffered, mostShown                    = 50, 12
)

// writtenMasks and writtenRefills are how many maskings a caption is given to look at, and refills each: all sentences fit one forward
// pass.
const writtenMasks, writtenRefills = 8, 8

func (e *explorer) close() {
	e.of.Close()
	e.backend.Finalize()
}

func (e *explorer) run(ctx context.Context) error {
	if e.screen.Live() {
		form, err := e.form(ctx)
		if err != nil {
			return err
		}
		if err = form.Open(); err == nil {
			defer form.Close()
			return e.serve(ctx, form)
		}
		e.screen.Say(err.Error())
	}
	for k, side := range []explore.Side{explore.OfImage, explore.OfText} {
		if e.of.Embeds() {
			e.side = side
		} else {
			e.anchor = k + 1
		}
		if err := e.view(ctx, e.screen.Block()); err != nil {
			return err
		}
	}
	return nil
}

// among are the anchors of the side: the most telling ones first, where something is known.
func (e *explorer) among(ctx context.Context) ([]int, error) {
	if e.anchors[e.side] != nil {
		return e.anchors[e.side], nil
	}
	var anchors []int
	var err error
	if !e.of.Embeds() {
		if anchors, err = e.of.InformativeCaptions(ctx, e.writing(), anchorsOffered); err != nil {
			return nil, err
		}
	} else if anchors, err = e.of.Informative(e.side, e.shown, anchorsOffered); err != nil {
		for pair := range min(anchorsOffered, e.of.Pairs()) {
			anchors = append(anchors, pair)
		}
	}
	e.anchors[e.side] = anchors
	return anchors, nil
}

// writing is how sentences are written.
func (e *explorer) writing() eval.Writer {
	return eval.NewWriter(writtenMasks, writtenRefills, e.rate, e.temperature)
}

// view shows the anchor on a block.
func (e *explorer) view(ctx context.Context, b cell.Block) error {
	ctx, end := watchdog.Work(ctx, e.silence, e.home, func(line string) { e.screen.Say(line) }, "the explorer has not moved on")
	defer end()
	anchors, err := e.among(ctx)
	if err != nil {
		return err
	}
	anchor := anchors[min(e.anchor, len(anchors))-1]
	var shown []any
	if e.of.Embeds() {
		view, err := e.of.Negatives(ctx, anchor, e.side, e.shown, e.methods)
		if err != nil {
			return err
		}
		shown = append(shown, view.Pictures(), view.Table())
	}
	if e.of.Writes() && e.side == explore.OfImage {
		sheet, err := e.of.Write(ctx, e.writing(), anchor)
		if err != nil {
			return err
		}
		if !e.of.Embeds() {
			shown = append(shown, sheet.Pictures())
		}
		shown = append(shown, sheet.Table(mostShown))
	}
	return b.Show(shown...)
}

// form chooses the anchor, and what is shown of it.
func (e *explorer) form(ctx context.Context) (*cell.Form, error) {
	anchors, err := e.among(ctx)
	if err != nil {
		return nil, err
	}
	form := &cell.Form{Name: "explorer", Buttons: []cell.Button{{Name: pressFinish, Label: "Finish"}}}
	offer := func(c cell.Control) { form.Controls = append(form.Controls, c) }
	first := "those with the most false and true negatives first"
	if e.of.Embeds() {
		offer(cell.Control{Name: sideKey, Label: "anchor", Options: []string{ofImage, ofText}, Value: ofImage,
			Hint: "what the negatives are compared with"})
	} else {
		first = "those of which the most true and false sentences are written first"
	}
	offer(cell.Control{Name: anchorKey, Label: "which one", Value: "1", Hint: first,
		Range: &cell.Range{Min: 1, Max: float64(len(anchors)), Step: 1}})
	if e.of.Embeds() {
		offer(cell.Control{Name: shownKey, Label: "negatives", Value: strconv.Itoa(e.shown), Hint: "how many are shown, most similar first",
			Range: &cell.Range{Min: 1, Max: float64(e.most), Step: 1}})
	}
	if e.of.Writes() {
		offer(cell.Control{Name: temperatureKey, Label: "temperature", Options: e.temperatures(), Value: spelled(e.temperature),
			Hint: "at which sentences are written: the higher, the less probable their words"})
	}
	return form, nil
}

// temperatures are those on offer, with that of the scale.
func (e *explorer) temperatures() (offered []string) {
	all := []float64{0.5, 1, 1.5, 2, e.temperature}
	slices.Sort(all)
	for _, t := range slices.Compact(all) {
		offered = append(offered, spelled(t))
	}
	return offered
}

func spelled(temperature float64) string { return strconv.FormatFloat(temperature, 'g', -1, 64) }

// serve answers a person until "finish".
func (e *explorer) serve(ctx context.Context, f controls) error {
	block, said := e.screen.Block(), ""
	for {
		f.Status("looking ...")
		if err := e.view(ctx, block); err != nil {
			said = err.Error()
		}
		f.Status(said, pressFinish)
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), cell.ErrOrphaned) {
				return cell.ErrOrphaned
			}
			return nil
		case event := <-f.Events():
			if event.Name == pressFinish {
				return nil
			}
			said = e.turn(event)
		}
	}
}

// turn does what a control asks, and says what is wrong with it.
func (e *explorer) turn(event cell.Event) (wrong string) {
	switch event.Name {
	case sideKey:
		side, known := map[string]explore.Side{ofImage: explore.OfImage, ofText: explore.OfText}[event.Value]
		if !known {
			return fmt.Sprintf("%s: no choice %q", event.Name, event.Value)
		}
		e.side = side
	case anchorKey, shownKey:
		v, err := strconv.Atoi(event.Value)
		switch {
		case err != nil || v < 1:
			return fmt.Sprintf("%s: %q is no number from 1", event.Name, event.Value)
		case event.Name == anchorKey:
			e.anchor = v
		default:
			e.shown = v
		}
	case temperatureKey:
		v, err := strconv.ParseFloat(event.Value, 64)
		if err != nil || !(v > 0) {
			return fmt.Sprintf("%s: %q is no number above 0", event.Name, event.Value)
		}
		e.temperature = v
	default:
		return fmt.Sprintf("no control %q", event.Name)
	}
	return ""
}
