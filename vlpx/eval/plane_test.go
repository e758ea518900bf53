package eval_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// Images of a class lie together, the same way each time; images of other classes are left out, and nothing is measured after an epoch.
func TestPlane(t *testing.T) {
	p := clusters("clusters", 90, 3, .05, 3)
	on := by(t, p, p)
	got := must.Get(eval.Plane{Classes: 2}.Measure(t.Context(), on))(t)
	laid := eval.Layout.Of(got.Examples)
	if len(got.Metrics) != 0 || len(laid.Names) != 2 || len(laid.Class) != len(laid.X) || len(laid.X) != len(laid.Y) || laid.Missing != 0 {
		t.Fatalf("got %v of %v, %d and %d places of %d images", got.Metrics, laid.Names, len(laid.X), len(laid.Y), len(laid.Class))
	}
	shown := 0
	for _, class := range p.class {
		if class < 2 {
			shown++
		}
	}
	if len(laid.Class) != shown {
		t.Errorf("%d images, want the %d of two classes", len(laid.Class), shown)
	}
	for i := range laid.Class {
		nearest, least := -1, math.Inf(1)
		for j := range laid.Class {
			if d := math.Hypot(float64(laid.X[i]-laid.X[j]), float64(laid.Y[i]-laid.Y[j])); j != i && d < least {
				nearest, least = j, d
			}
		}
		if laid.Class[nearest] != laid.Class[i] {
			t.Errorf("image %d lies beside one of another class", i)
		}
	}
	again, err := eval.Plane{Classes: 2}.Measure(t.Context(), on)
	if err != nil || !reflect.DeepEqual(eval.Layout.Of(again.Examples), laid) {
		t.Errorf("another layout (%v)", err)
	}
	on.Brief = true
	if got, err := (eval.Plane{}).Measure(t.Context(), on); err != nil || eval.Layout.Of(got.Examples) != nil {
		t.Errorf("after an epoch: got %v (%v)", eval.Layout.Of(got.Examples), err)
	}
	text, err := json.Marshal(laid)
	var read eval.PlaneLayout
	if err != nil || json.Unmarshal(text, &read) != nil || !reflect.DeepEqual(&read, laid) {
		t.Errorf("it is not read back: %s (%v)", text, err)
	}
}

// Of images too few for a layout there is none.
func TestPlaneOfFewImages(t *testing.T) {
	p := clusters("few", 3, 3, .05, 3)
	if got, err := (eval.Plane{}).Measure(t.Context(), by(t, p, p)); err != nil || eval.Layout.Of(got.Examples) != nil {
		t.Errorf("got %v (%v), want none", eval.Layout.Of(got.Examples), err)
	}
}
