package lab

import (
	"strings"
	"testing"
	"unicode/utf8"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/scale"
)

func TestSettings(t *testing.T) {
	all := must.Get(Settings(nil, Options{Scale: "tiny"}))(t)
	if len(all.Rows) != len(scale.Settings()) {
		t.Errorf("%d lines, want one for each of %d settings", len(all.Rows), len(scale.Settings()))
	}
	var text strings.Builder
	must.Do(t, all.Text(&text, tables.Terminal{Width: 120}))
	for line := range strings.Lines(text.String()) {
		if n := utf8.RuneCountInString(line); n > 121 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	for _, c := range []struct {
		names []string
		o     Options
		rows  int
		want  []string
	}{
		{[]string{"schedule"}, Options{}, 10, []string{"at mini", "schedule.rate", "0.001", "the learning rate after"}},
		{[]string{"queries", "patch"}, Options{Framework: "blip-2", Set: []string{"patch=16"}}, 2, []string{"at mini, BLIP-2", "8", "16"}},
		{[]string{"Epochs"}, Options{}, 7, []string{"how often training passes", "at paper", "20", "numepochs"}},
		{[]string{"density"}, Options{}, 6, []string{"The setting scenes.density", "spec, quart, half"}},
		{[]string{"lr"}, Options{Set: []string{"lr=.5"}}, 7, []string{"The setting schedule.rate", "0.5"}},
	} {
		table, err := Settings(c.names, c.o)
		if err != nil {
			t.Errorf("%v: %v", c.names, err)
			continue
		}
		text := texts(t, table)
		if len(table.Rows) != c.rows {
			t.Errorf("%v: %d lines, want %d:\n%s", c.names, len(table.Rows), c.rows, text)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: want %q in\n%s", c.names, want, text)
			}
		}
	}
	for name, want := range map[string]string{"queue": "momentumqueue", "epohcs": `did you mean "epochs"`} {
		must.Fail(t, must.Err(Settings([]string{name}, Options{})), want, "%s", name)
	}
	if _, err := Settings(nil, Options{Scale: "tinny"}); err == nil {
		t.Error("an unknown scale: no error")
	}
}

// A cell asks by one text.
func TestListedSettings(t *testing.T) {
	for what, want := range map[string]string{
		"settings": "Settings", "settings epochs": "The setting epochs", "settings  learning rate": "The setting schedule.rate",
		"settings schedule vqa": "Settings",
	} {
		table, asks, err := listedSettings(what, Options{})
		if err != nil || !asks || table.Title != want {
			t.Errorf("%q: got %q, asks %t, error %v; want %q", what, table.Title, asks, err, want)
		}
	}
	if _, asks, err := listedSettings("settings epohcs", Options{}); !asks || err == nil {
		t.Errorf("a name that is none: asks %t, error %v", asks, err)
	}
	if _, asks, err := listedSettings("settingsx", Options{}); asks || err != nil {
		t.Errorf("another list: asks %t, error %v", asks, err)
	}
}

// A learning rate that ends before training does is told of before anything runs.
func TestRemarks(t *testing.T) {
	o := smallest(t.TempDir())
	for set, want := range map[string]int{"epochs=4": 0, "schedule.epochs=1": 1} {
		grid := must.Get(OpenComparison([]string{"InfoNCE"}, Options{Scale: "tiny", Home: o.Home, Set: []string{"epochs=3", set}}))(t)
		if remarks := grid.Remarks(); len(remarks) != want {
			t.Errorf("%s: got %q, want %d lines", set, remarks, want)
		}
	}
}
