package paper

import (
	"math"
	"testing"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/train"
)

var (
	recall  = ColumnOf(eval.IR1)
	counted = Column{Group: "False negatives", Name: "in batch", Metric: train.FalseInBatch, Unit: "%", Lower: true}
	seconds = Column{Name: "seconds", Metric: "seconds", Lower: true}
)

// alone judges one primary claim, "A" against "B", with other rows of its column.
func alone(in Column, better, than []float64, others ...[]float64) Finding {
	t := trial{claim: Claim{Better: "A", Than: "B", In: in, Source: "Table 1"}, primary: true, rows: []string{"A", "B"}}
	if len(better) > 0 {
		t.values = append([][]float64{better, than}, others...)
	}
	for range others {
		t.rows = append(t.rows, "another")
	}
	return judge([]trial{t})[0]
}

func TestJudge(t *testing.T) {
	more, less := []float64{10.1, 10.3, 10, 10.2, 10.1}, []float64{1, 1.1, 0.9, 1, 1.2}
	const above = "A above B in Image Retrieval R@1"
	for _, c := range []struct {
		name         string
		in           Column
		better, than []float64
		want         Verdict
		reason       Reason
		text         string
	}{
		{"more is better", recall, more, less, Supported, "", above},
		{"more, against the claim", recall, less, more, Contradicted, "", above},
		{"less is better", seconds, less, more, Supported, "", "A below B in seconds"},
		{"less, against the claim", seconds, more, less, Contradicted, "", "A below B in seconds"},
		{"noise", recall, []float64{1, 5, 2, 4, 3}, []float64{3, 1, 4, 2, 3.5}, Undecided, "", above},
		{"a steady nothing", recall, []float64{1, 5.1, 2, 3, 4}, []float64{1.1, 5, 2, 3, 4}, Equivalent, "", above},
		{"a steady nothing of no unit", seconds, []float64{1, 5.1, 2, 3, 4}, []float64{1.1, 5, 2, 3, 4}, Undecided, "",
			"A below B in seconds"},
		{"no difference at all", recall, less, less, Equivalent, "", above},
		{"always the same difference", recall, []float64{5, 6, 7, 8, 9}, []float64{4, 5, 6, 7, 8}, Undecided, NoSpread, above},
		{"four blocks, however small p", recall, more[:4], less[:4], Exploratory, "", above},
		{"two blocks that differ by the same", recall, []float64{5, 6}, []float64{4, 5}, Exploratory, "", above},
		{"one seed", recall, more[:1], less[:1], Untested, OneSeed, above},
		{"nothing", recall, nil, nil, Untested, "", above},
	} {
		f := alone(c.in, c.better, c.than)
		if f.Verdict != c.want || f.Reason != c.reason || f.Text != c.text || f.Source != "Table 1" {
			t.Errorf("%s: got %+v, want %s (%s), %q", c.name, f, c.want, c.reason, c.text)
		}
		if tested := f.Difference != nil; tested != (c.want != Untested) {
			t.Errorf("%s: tested: got %v", c.name, tested)
		}
		if f.Verdict == Exploratory && f.Holm != nil {
			t.Errorf("%s: got a corrected p of %v, want none", c.name, *f.Holm)
		}
	}
}

// The error is pooled over all rows of a task's column, and never of what is counted or timed.
func TestPooledByColumn(t *testing.T) {
	a, b, other := []float64{11, 22, 33, 40, 52}, []float64{10, 20, 30, 39, 50}, []float64{10, 22, 31, 39, 49}
	blocks := evidence.NewBlocks([][]float64{a, b, other})
	for _, c := range []struct {
		in     Column
		p      float64
		pooled int
	}{
		{recall, blocks.Pooled([]float64{1, -1, 0}).P, 3}, {Cosine(eval.IRMAP), blocks.Pooled([]float64{1, -1, 0}).P, 3},
		{counted, evidence.PairedT(a, b).P, 0}, {seconds, evidence.PairedT(a, b).P, 0},
	} {
		f := alone(c.in, a, b, other)
		if math.Abs(*f.P-c.p) > 1e-12 || f.Pooled != c.pooled || math.Abs(*f.Paired-evidence.PairedT(a, b).P) > 1e-12 {
			t.Errorf("%s: got p %v pooled over %d rows, paired %v; want %v over %d", c.in.Name, *f.P, f.Pooled, *f.Paired, c.p, c.pooled)
		}
	}
}

// Where the claim's own rows differ more from block to block than the others, the pooled test alone gives no verdict: neither that they
// differ nor that they do not.
func TestNoVerdictByPoolingAlone(t *testing.T) {
	still := []float64{10, 20, 30, 40, 50, 60}
	others := [][]float64{still, {10.1, 20, 30.1, 40, 50, 60}, {10, 20, 30, 40.1, 50, 60.1}, {10, 20.1, 30, 40, 50.1, 60}}
	apart := alone(recall, []float64{13.3, 18.6, 33.8, 38.9, 53.2, 60.3}, still, others...)
	if apart.Verdict != Undecided || apart.Reason != ByPooling || *apart.Holm >= .05 || *apart.Paired < .05 {
		t.Errorf("got %+v, want it undecided, though its Holm is below .05", apart)
	}
	alike := alone(recall, []float64{11.2, 18.9, 31.1, 38.8, 51.2, 58.8}, still, others...)
	if alike.Verdict != Undecided || *alike.Equivalence >= .05 {
		t.Errorf("got %+v, want it undecided, though its equivalence is below .05", alike)
	}
}

// A gain above a gain is one contrast, in which a row that both gain over does not count.
func TestContrastOfGains(t *testing.T) {
	c := Claim{Better: "A", Than: "B", Over: [2]string{"C", "D"}}
	if got := c.weights([]string{"A", "B", "C", "D", "E"}); [5]float64(got) != [5]float64{1, -1, -1, 1, 0} {
		t.Errorf("got the weights %v", got)
	}
	c.Over[1] = "C"
	if got := c.weights([]string{"A", "B", "C"}); [3]float64(got) != [3]float64{1, -1, 0} {
		t.Errorf("over one row: got the weights %v", got)
	}
}

// What blocks could show follows from the spread that is pooled, not from the difference seen: differences of 1, 2 and 3 have a standard
// deviation of 1.
func TestWhatBlocksCouldShow(t *testing.T) {
	pairs := evidence.Design{Rows: 2, Level: .05, Own: .05}
	f := alone(recall, []float64{11, 22, 33}, []float64{10, 20, 30})
	if got := pairs.Power(*f.Detectable, 3); math.Abs(got-.8) > 1e-6 {
		t.Errorf("the difference %v, of a spread of 1, has power %v, want .8", *f.Detectable, got)
	}
	if n := f.SeedsNeeded; pairs.Power(1, n) < .8 || pairs.Power(1, n-1) >= .8 || f.SeedsNote() != "3 of 10" {
		t.Errorf("got %d seeds needed for a point, told as %q; want the fewest, 10", n, f.SeedsNote())
	}
	if f := alone(seconds, []float64{11, 22, 33}, []float64{10, 20, 30}); f.Worth != nil || f.SeedsNeeded != 0 || f.SeedsNote() != "3" {
		t.Errorf("got %+v of a column that is not in per cent, want no point", f)
	}
}

// Primary claims are corrected for their number, and a secondary one has no verdict: it says on which side its interval is.
func TestPrimaryAndSecondary(t *testing.T) {
	better, noise, than := []float64{11, 21.5, 32, 41.4, 51.6}, []float64{10, 22, 28, 41, 49}, []float64{10, 20, 30, 40, 50}
	of := func(name string, values []float64, primary bool) trial {
		return trial{claim: Claim{Better: name, Than: "B", In: counted}, primary: primary, rows: []string{name, "B"},
			values: [][]float64{values, than}}
	}
	untested := trial{claim: Claim{Better: "C", Than: "B", In: counted}, primary: true}
	got := judge([]trial{of("A", better, true), untested, of("A", noise, true), of("A", better, false), of("A", than, false),
		of("A", noise, false)})
	first, second := got[0], got[3]
	if first.Verdict != Contradicted || math.Abs(*first.Holm-2**first.P) > 1e-12 || *got[2].Holm != *got[2].P || got[1].Verdict != Untested {
		t.Errorf("got %+v, want it contradicted at twice p, of two that are tested", first)
	}
	if second.Verdict != Secondary || second.Reason != Against || second.Holm != nil || *second.P != *first.P ||
		second.Conclusion() != "secondary: against it" {
		t.Errorf("got %+v of a secondary claim, want no corrected p", second)
	}
	if got[5].Reason != Open {
		t.Errorf("got %q of noise, want it open", got[5].Reason)
	}
}
