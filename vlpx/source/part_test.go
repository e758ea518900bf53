package source

import (
	"testing"
	"time"
)

type here struct{ N int }

// elsewhere is a type without a name, and so none of this module: it stands for a part in a cell.
type elsewhere = struct{ here }

func TestForeign(t *testing.T) {
	for part, want := range map[any]bool{
		here{}: false, &here{}: false, elsewhere{}: true, &elsewhere{}: true, time.Time{}: true, &time.Time{}: true,
	} {
		if got := Foreign(part); got != want {
			t.Errorf("%T: it is foreign: %v, want %v", part, got, want)
		}
	}
}
