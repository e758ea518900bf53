package scheduler

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/random"
)

// trained returns a policy after an update, and its bytes.
func trained(t testing.TB, n Network) (*Policy, []byte) {
	p := NewPolicy(n, 1e-2, 1)
	states, quantiles := drawRows(random.Stream(1, "trained"), 5, n.Inputs)
	p.Update(states, quantiles, 1)
	data := must.Get(p.MarshalBinary())(t)
	return p, data
}

// A policy that is read back goes on as the one written.
func TestMarshal(t *testing.T) {
	for _, n := range small {
		p, data := trained(t, n)
		again := NewPolicy(n, 1e-2, 7)
		must.Do(t, again.UnmarshalBinary(data))
		states, quantiles := drawRows(random.Stream(1, "again"), 6, n.Inputs)
		p.Update(states, quantiles, -0.5)
		again.Update(states, quantiles, -0.5)
		if !slices.Equal(p.weights, again.weights) {
			t.Errorf("%+v: the weights differ after another update", n)
		}
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	n := Network{Inputs: 3, Hidden: 4, Blocks: 1}
	_, good := trained(t, n)
	start, part := binary.Size(header{}), 4*n.weights()
	put := func(at int, x float32) []byte {
		return binary.LittleEndian.AppendUint32(slices.Clone(good[:at]), math.Float32bits(x))
	}
	changed := func(at int, x float32) []byte { return append(put(at, x), good[at+4:]...) }
	for _, c := range []struct {
		name    string
		network Network
		data    []byte
		want    string
	}{
		{"nothing", n, nil, "cut"},
		{"cut header", n, good[:start-1], "cut"},
		{"cut weights", n, good[:len(good)-1], "cut"},
		{"overlong", n, append(slices.Clone(good), 0), "overlong"},
		{"other width", Network{Inputs: 3, Hidden: 5, Blocks: 1}, good, "Hidden:5"},
		{"other parameters", Network{Inputs: 3, Hidden: 4, Blocks: 1, Open: true}, good, "Open:true"},
		{"infinite weight", n, changed(start+8, float32(math.Inf(1))), "weight 2 is +Inf"},
		{"weight beyond training", n, changed(start+8, float32(-1e30)), "training leaves none beyond 1000"},
		{"moment not a number", n, changed(start+part, float32(math.NaN())), "first moment 0 is NaN"},
		{"negative second moment", n, changed(start+2*part, -1), "second moments from -1"},
		{"negative steps", n, changed(start-4, -1), "steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewPolicy(c.network, 1e-2, 1)
			before, _ := p.MarshalBinary()
			err := p.UnmarshalBinary(c.data)
			if err == nil || !strings.HasPrefix(err.Error(), "scheduler: policy: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			if after, _ := p.MarshalBinary(); !bytes.Equal(after, before) {
				t.Error("a refused state changed the policy")
			}
		})
	}
}

func FuzzUnmarshal(f *testing.F) {
	n := Network{Inputs: 2, Hidden: 3, Blocks: 1}
	_, good := trained(f, n)
	f.Add(good)
	f.Add(good[:20])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := NewPolicy(n, 1e-2, 1)
		if p.UnmarshalBinary(data) != nil {
			return
		}
		if slices.ContainsFunc(p.weights, notFinite) {
			t.Fatal("took weights that are not finite")
		}
		again, err := p.MarshalBinary()
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("took %d bytes and gave %d others back (%v)", len(data), len(again), err)
		}
	})
}
