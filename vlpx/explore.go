package vlpx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/explore"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/run"
)

// exploredBy are the methods that an explorer asks unless the options name others.
var exploredBy = []string{"InfoNCE", "GRIT-VLP", "SRCL", "MAFA"}

// exploredPairs is how many pairs of a split an explorer looks at.
const exploredPairs = 10000

// Explore shows the negatives of single anchors as a method's model sees them, trained first if it is not in the store: which of them are
// false by the exact relation or by people, and what each method, of Options.Methods or a usual choice, and of Options.Own, would do
// with them. The model is the first seed's. A form chooses the anchor; where there is none, the most telling anchor of each side is
// shown.
//
// Of generated scenes the training split is explored, of a folder the test split, whose pairs people may have judged.
func Explore(model string, options ...Options) {
	must("explore", options, func(ctx context.Context, s cell.Screen, o Options) (*Report, error) {
		asked, usual := o.Methods, len(o.Methods) == 0
		if usual {
			asked = exploredBy
		}
		for _, m := range o.Own {
			asked = append(asked[:len(asked):len(asked)], m.Name)
		}
		o.Methods, o.Seeds = nil, append(o.Seeds, 1)[:1]
		grid, err := OpenComparison([]string{model}, o)
		if err != nil {
			return nil, err
		}
		e := &explorer{screen: s, side: explore.OfImage, shown: 6}
		for _, name := range asked {
			row, err := paper.Variant(name, o.Own)
			if err != nil {
				return nil, err
			}
			e.methods = append(e.methods, row.Method(grid.Plan.Scale))
		}
		if err := grid.makeOn(ctx, s, s.Block()); err != nil {
			return nil, err
		}
		choice, _ := engine.Choose(engine.Cache())
		backend, err := engine.Open(choice)
		if err != nil {
			return nil, err
		}
		defer backend.Finalize()
		split := "train"
		if grid.Plan.Data.Scenes == nil {
			split = "test"
		}
		of := grid.Plan.Rows[0][0]
		if e.of, err = explore.Open(ctx, &run.Executor{Store: grid.Store, Backend: backend, Engine: choice.Name}, of, split, exploredPairs); err != nil {
			return nil, err
		}
		defer e.of.Close()
		if usual && !e.of.Matches() { // then nothing is picked that Positives could judge
			e.methods = slices.DeleteFunc(e.methods, func(m negative.Method) bool { return m.Positives != nil })
		}
		e.most = min(mostShown, of.Train.BatchSize-1)
		e.shown = min(e.shown, e.most)
		return nil, guard(func() error { return e.run(ctx) })
	})
}

type explorer struct {
	screen  cell.Screen
	of      *explore.Explorer
	methods []negative.Method
	side    explore.Side
	anchor  int // among anchors, from 1
	shown   int // negatives
	most    int // of them that can be shown
	anchors []int
}

// The controls of an explorer.
const (
	sideKey, anchorKey, shownKey = "side", "anchor", "negatives"
	ofImage, ofText              = "image", "caption"
	anchorsOffered, mostShown    = 50, 12
)

func (e *explorer) run(ctx context.Context) error {
	if e.screen.Live() {
		e.turn(explore.OfImage)
		form := e.form()
		err := form.Open()
		if err == nil {
			defer form.Close()
			return e.serve(ctx, form)
		}
		e.screen.Say(err.Error())
	}
	for _, side := range []explore.Side{explore.OfImage, explore.OfText} {
		e.turn(side)
		if err := e.view(ctx, e.screen.Block()); err != nil {
			return err
		}
	}
	return nil
}

// turn goes to the first anchor of a side: the most telling one, where something is known.
func (e *explorer) turn(side explore.Side) {
	e.side, e.anchor = side, 1
	var err error
	if e.anchors, err = e.of.Telling(side, e.shown, anchorsOffered); err == nil {
		return
	}
	e.anchors = nil
	for pair := range min(anchorsOffered, e.of.Pairs()) {
		e.anchors = append(e.anchors, pair)
	}
}

// view shows the anchor on a block.
func (e *explorer) view(ctx context.Context, b cell.Block) error {
	anchor := e.anchors[min(e.anchor, len(e.anchors))-1]
	view, err := e.of.Negatives(ctx, anchor, e.side, e.shown, e.methods)
	if err != nil {
		return err
	}
	return b.Show(view.Pictures(), view.Table())
}

// form chooses the anchor.
func (e *explorer) form() *cell.Form {
	return &cell.Form{Name: "explorer", Buttons: []cell.Button{{Name: pressFinish, Label: "Finish"}}, Controls: []cell.Control{
		{Name: sideKey, Label: "anchor", Options: []string{ofImage, ofText}, Value: ofImage, Hint: "what the negatives are compared with"},
		{Name: anchorKey, Label: "which one", Value: "1", Hint: "those with the most false and true negatives first",
			Range: &cell.Range{Min: 1, Max: float64(len(e.anchors)), Step: 1}},
		{Name: shownKey, Label: "negatives", Value: strconv.Itoa(e.shown), Hint: "how many are shown, most similar first",
			Range: &cell.Range{Min: 1, Max: float64(e.most), Step: 1}},
	}}
}

// serve answers a person until "finish".
func (e *explorer) serve(ctx context.Context, f controls) error {
	block, said := e.screen.Block(), ""
	for {
		f.Status("looking ...")
		if err := e.view(ctx, block); err != nil {
			said = err.Error()
		}
		f.Status(said, pressFinish)
		said = ""
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), cell.ErrOrphaned) {
				return cell.ErrOrphaned
			}
			return nil
		case event := <-f.Events():
			switch event.Name {
			case pressFinish:
				return nil
			case sideKey:
				side, known := map[string]explore.Side{ofImage: explore.OfImage, ofText: explore.OfText}[event.Value]
				if !known {
					said = fmt.Sprintf("%s: no choice %q", event.Name, event.Value)
					continue
				}
				at := e.anchor
				e.turn(side)
				e.anchor = at
			case anchorKey, shownKey:
				v, err := strconv.Atoi(event.Value)
				if err != nil || v < 1 {
					said = fmt.Sprintf("%s: %q is no number from 1", event.Name, event.Value)
				} else if event.Name == anchorKey {
					e.anchor = v
				} else {
					e.shown = v
				}
			default:
				said = fmt.Sprintf("no control %q", event.Name)
			}
		}
	}
}
