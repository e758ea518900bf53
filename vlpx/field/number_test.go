package field

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// Sums of a name are added up, in the order in which names were reported first; a share is of the sums, and of nothing there is none.
func TestNumbers(t *testing.T) {
	var n Numbers
	n.TellShare("share", 1, 2)
	n.Tell("mean", 3)
	n.TellShare("share", 3, 14)
	n.Tell("mean", -4)
	n.TellShare("of nothing", 0, 0)
	want := Numbers{{Name: "share", Unit: Percent, Sum: 4, Of: 16}, {Name: "mean", Sum: -1, Of: 2}, {Name: "of nothing", Unit: Percent}}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("got %+v, want %+v", n, want)
	}
	if got, want := n.Values(), map[string]float64{"share": 25, "mean": -0.5}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	text, err := json.Marshal(n[:2])
	if want := `[{"name":"share","unit":"%","sum":4,"of":16},{"name":"mean","sum":-1,"of":2}]`; err != nil || string(text) != want {
		t.Errorf("got %s (%v), want %s", text, err, want)
	}
	var nobody *Numbers
	nobody.Tell("x", 1)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if (Number{Sum: x, Of: 1}).Finite() || (Number{Sum: 1, Of: x}).Finite() {
			t.Errorf("a sum of %g is finite", x)
		}
	}
	if !(Number{Sum: 1}).Finite() {
		t.Error("1 of nothing is not finite; it is not reported")
	}
}
