package random

import "testing"

func TestStream(t *testing.T) {
	if a, b := Stream(1, "mask", 2).Uint64(), Stream(1, "mask", 2).Uint64(); a != b {
		t.Errorf("the same name gave %d and %d", a, b)
	}
	first := map[uint64]string{}
	for _, s := range []struct {
		seed uint64
		name []any
	}{{1, []any{"mask", 2}}, {2, []any{"mask", 2}}, {1, []any{"mask", 3}}, {1, []any{"mas", "k2"}}, {1, []any{"mask2"}}, {1, nil}} {
		x := Stream(s.seed, s.name...).Uint64()
		if other, ok := first[x]; ok {
			t.Errorf("stream %v %v repeats %s", s.seed, s.name, other)
		}
		first[x] = "an earlier one"
	}
}
