package negative

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// Steps through windows give what steps on the numbers of all samples give, and a second graph sees what the first one left.
func TestWindowsShowTheirSamples(t *testing.T) {
	const samples, batch = 11, 4
	for name, contrast := range globals() {
		for _, single := range []bool{false, true} {
			m := Method{Contrast: contrast, LeftOut: Thresholds{Alpha: 0.3, Rate: 0.5, Single: single}}
			direct, windowed := newStage(t, m, 0, samples), newStage(t, m, 0, samples)
			w, err := OpenWindows(windowed.store, batch)
			if err != nil || !w.Any() {
				t.Fatal(err)
			}
			for k := range 4 {
				b := sized(0, batch, 3, uint64(90+k), int32(2*k), 0.2)
				b.index[0], b.index[3] = b.index[3], b.index[0]
				b.progress = float64(k)
				must.Do(t, w.Load(b.index))
				got := windowed.step(b)
				must.Do(t, w.Keep(b.index))
				want := direct.step(b)
				close64(t, name+": loss", []float64{got.loss}, []float64{want.loss})
				state := windowed.state(t)
				for path := range want.state {
					if !slices.Equal(state[path], want.state[path]) {
						t.Errorf("%s, single %v: %s after step %d: got %v, want %v", name, single, path, k, state[path], want.state[path])
					}
				}
			}
		}
	}
}

func TestWindowsRefuse(t *testing.T) {
	store := model.NewStore()
	must.Do(t, DeclareSamples(store.Scope("/state"), "u", 5, 0))
	w := must.Get(OpenWindows(store, 2))(t)
	for _, index := range [][]int32{{0, 5}, {-1, 0}, {1}, {0, 1, 2}} {
		if w.Load(index) == nil || w.Keep(index) == nil {
			t.Errorf("samples %v of 5, two at a time: no error", index)
		}
	}
	if w, err := OpenWindows(model.NewStore(), 2); err != nil || w.Any() {
		t.Errorf("windows of nothing: %v, %v", w, err)
	}
}
