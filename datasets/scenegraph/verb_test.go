package scenegraph

import "testing"

func TestVerbForms(t *testing.T) {
	for word, want := range map[string]verbForm{
		"hold": {"hold", bare}, "holds": {"hold", finite}, "holding": {"hold", gerund}, "held": {"hold", participle},
		"carries": {"carry", finite}, "carried": {"carry", participle}, "playing": {"play", gerund}, "plays": {"play", finite},
		"riding": {"ride", gerund}, "ridden": {"ride", participle}, "swimming": {"swim", gerund}, "stopped": {"stop", participle},
		"watches": {"watch", finite}, "goes": {"go", finite}, "lying": {"lay", gerund}, "lies": {"lay", finite},
		"tied":   {"tie", participle},
		"seeing": {"see", gerund}, "seated": {"sit", participle},
	} {
		if got := verbForms[word]; got != want {
			t.Errorf("%q: got %+v, want %+v", word, got, want)
		}
	}
}
