package text

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Words that are new come behind the known ones, which keep their ids, in alphabetical order, if they are seen often enough.
func TestGrown(t *testing.T) {
	k := must.Get(FromCorpus(slices.Values([]string{"a red ring", "a blue ring"}), 1, 0))(t)
	grown := must.Get(k.Grown(slices.Values([]string{"how many rings", "how red", "is it a ring", "many zebras", "don't"}), 1))(t)
	before := strings.Split(strings.TrimSpace(string(k.Vocab())), "\n")
	after := strings.Split(strings.TrimSpace(string(grown.Vocab())), "\n")
	if want := append(before, "'", "don", "how", "is", "it", "many", "rings", "t", "zebras"); !slices.Equal(after, want) {
		t.Errorf("got %q, want %q", after, want)
	}
	if got, want := grown.Encode("a red ring", 6), k.Encode("a red ring", 6); !slices.Equal(got, want) {
		t.Errorf("got the ids %v, want %v", got, want)
	}
	if got := grown.Decode(grown.Encode("how many red rings", 9)); got != "how many red rings" {
		t.Errorf("got %q back", got)
	}
	seldom, err := k.Grown(slices.Values([]string{"how many rings", "how red"}), 2)
	if err != nil || seldom.Size() != k.Size()+1 {
		t.Errorf("seen twice: got %d ids (%v), want %d", seldom.Size(), err, k.Size()+1)
	}
	same, err := k.Grown(slices.Values([]string{"a ring"}), 1)
	if err != nil || same.Hash() != k.Hash() {
		t.Errorf("nothing new: got another vocabulary (%v)", err)
	}
}
