package lab

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/explore"
)

// opened is an explorer of a method with what its screen is given.
func opened(t *testing.T, method string, o Options) (*explorer, *watched) {
	t.Helper()
	w := &watched{}
	e := must.Get(openExplorer(t.Context(), w, method, o))(t)
	t.Cleanup(e.close)
	return e, w
}

// Of a framework that embeds nothing the form offers captions and temperatures, and the table of another temperature is another one of the
// same caption.
func TestExploreWritten(t *testing.T) {
	e, w := opened(t, "TAGS", scoring(smallest(t.TempDir())))
	form := must.Get(e.form(t.Context()))(t)
	var names []string
	for _, c := range form.Controls {
		names = append(names, c.Name)
		if c.Name == temperatureKey && (!slices.Equal(c.Options, []string{"0.5", "1", "1.5", "2"}) || c.Value != "1.5") {
			t.Errorf("got temperatures %v, at first %s", c.Options, c.Value)
		}
	}
	if want := []string{anchorKey, temperatureKey}; !slices.Equal(names, want) {
		t.Errorf("got controls %v, want %v", names, want)
	}
	set := func(name, value string) []cell.Event { return []cell.Event{{Name: name, Value: value}} }
	p := &person{t: t, events: make(chan cell.Event, 16), script: []step{
		{when: "looking", do: set(temperatureKey, "0.5")},
		{when: "looking", do: set(anchorKey, "2")},
		{when: "looking", do: set(temperatureKey, "0")},
		{when: "no number above 0", do: set(anchorKey, "none")},
		{when: "no number from 1", do: set("colour", "red")},
		{when: "no control", do: []cell.Event{press(pressFinish)}},
	}}
	must.Do(t, e.serve(t.Context(), p))
	var titles, sentences []string
	for _, shown := range w.shown {
		table := shown[len(shown)-1].(tables.Table)
		titles, sentences = append(titles, table.Title), append(sentences, table.Rows[1].Cells[0][0].Text)
	}
	if len(titles) != 6 || titles[0] != titles[1] || titles[1] == titles[2] || sentences[0] == sentences[1] {
		t.Errorf("got the hardest sentences %q of %q; want another one at another temperature, and then another caption", sentences, titles)
	}
}

// Of ALBEF the sentences come below an image's negatives, and there are none beside those of a caption.
func TestExploreWrittenBelowNegatives(t *testing.T) {
	e, w := opened(t, "InfoNCE", smallest(t.TempDir()))
	for _, e.side = range []explore.Side{explore.OfImage, explore.OfText} {
		must.Do(t, e.view(t.Context(), w.Block()))
	}
	if len(w.shown) != 2 || len(w.shown[0]) != 3 || len(w.shown[1]) != 2 {
		t.Fatalf("got %v, want pictures, negatives and sentences, then pictures and negatives", w.shown)
	}
	if table := w.shown[0][2].(tables.Table); !strings.HasPrefix(table.Title, "Sentences written") {
		t.Errorf("got %q", table.Title)
	}
}

// told is a screen whose lines a test waits for.
type told struct {
	*watched
	lines chan string
}

func (s told) Say(lines ...string) { s.lines <- strings.Join(lines, " ") }

// late is a block that shows nothing before a line was said.
type late struct {
	cell.Block
	t  *testing.T
	on told
}

func (l late) Show(what ...any) error {
	if line := <-l.on.lines; !strings.HasPrefix(line, "the explorer has not moved on for ") {
		l.t.Errorf("it says %q", line)
	}
	return l.Block.Show(what...)
}

// An explorer that shows nothing for long says so.
func TestStuckExplorer(t *testing.T) {
	o := smallest(t.TempDir())
	o.silence = 10 * time.Millisecond
	e, w := opened(t, "InfoNCE", o)
	on := told{w, make(chan string, 1)}
	e.screen = on
	must.Do(t, e.view(t.Context(), late{w.Block(), t, on}))
}
