package plan

import "testing"

func TestSeedList(t *testing.T) {
	for want, seeds := range map[string][]uint64{
		"": nil, "7": {7}, "1, 2, 3": {1, 2, 3}, "1-4": {1, 2, 3, 4}, "9, 1-5, 8": {9, 1, 2, 3, 4, 5, 8}, "4, 3, 2, 1": {4, 3, 2, 1},
	} {
		if got := (&Plan{Seeds: seeds}).SeedList(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
