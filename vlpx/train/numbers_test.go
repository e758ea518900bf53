package train

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// debiased is a contrast of one's own: the debiased contrastive loss (Chuang et al., 2020), with the mean over the negatives corrected for
// a share Prior of false ones. It reports what it would have joined to the positives above a Threshold of the cosine.
type debiased struct{ Prior, Threshold float64 }

func (d debiased) ITC(f negative.Features) negative.Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	own := objective.OneHotTargets(i2t)
	side := func(logits *Node) *Node {
		exp := Exp(logits)
		positive := ReduceSum(Mul(exp, own), -1)
		others := float64(logits.Shape().Dim(1) - 1)
		mean := DivScalar(Sub(ReduceSum(exp, -1), positive), others)
		g := Max(DivScalar(Sub(mean, MulScalar(positive, d.Prior)), 1-d.Prior), Exp(Neg(Inverse(f.Temperature))))
		return ReduceAllMean(Neg(Log(Div(positive, Add(positive, MulScalar(g, others))))))
	}
	cosines := Mul(i2t, f.Temperature)
	apart := Sub(OnesLike(own), own)
	joined := Mul(ConvertDType(GreaterThan(cosines, ConstAs(cosines, d.Threshold)), own.DType()), apart)
	f.TellShare("joined pairs", joined, apart)
	if truth := f.Truth(); truth != nil {
		f.TellShare("true among joined", Mul(joined, truth.Holds), Mul(joined, truth.Known))
		f.TellMean("true pairs an image", "", Mul(apart, truth.Holds), OnesLike(ReduceSum(own, -1)))
	}
	f.Tell("mean cosine", ReduceAllMean(cosines))
	return negative.Contrasted{Loss: Add(side(i2t), side(Transpose(i2t, 0, 1))), I2T: i2t, T2I: Transpose(i2t, 0, 1)}
}

// byEpoch is an order of one's own that reports a number an epoch.
type byEpoch struct{}

func (b byEpoch) Start(run negative.Start) (negative.Sampler, error) {
	return negative.Ordered(run, b.order)
}

func (byEpoch) order(seen negative.Seen, draw *rand.Rand) []int {
	seen.Tell("ordered epoch", float64(seen.Epoch))
	return draw.Perm(seen.Pairs)
}

func counting() negative.Method {
	return negative.Method{Name: "debiased", Contrast: debiased{Prior: 0.1, Threshold: 0.05}, Batches: byEpoch{}}.WithDefaults()
}

// sums are those of a number by its name.
func sums(t *testing.T, numbers field.Numbers, name string) field.Number {
	t.Helper()
	k := slices.IndexFunc(numbers, func(n field.Number) bool { return n.Name == name })
	if k < 0 {
		t.Fatalf("nothing reports %q; there are %+v", name, numbers)
	}
	return numbers[k]
}

// What a part reports of each step is what a recount on the host finds in the step's embeddings and the data's relation, and an epoch's
// record has the sums.
func TestToldIsCounted(t *testing.T) {
	t.Run("scenes", func(t *testing.T) { testToldIsCounted(t, func(s datasets.Set) datasets.Set { return s }) })
	t.Run("partly known", func(t *testing.T) { testToldIsCounted(t, func(s datasets.Set) datasets.Set { return partlyKnown{s} }) })
}

// partlyKnown is a set of which two thirds of the pairs are judged.
type partlyKnown struct{ datasets.Set }

func (p partlyKnown) Relation() datasets.Relation { return partly{p.Set.(datasets.Related).Relation()} }

type partly struct{ datasets.Relation }

func (p partly) Holds(image, pair int) (holds, known bool) {
	if (image+pair)%3 == 0 {
		return false, false
	}
	return p.Relation.Holds(image, pair)
}

func testToldIsCounted(t *testing.T, as func(datasets.Set) datasets.Set) {
	job, other := smallest(t, counting()), smallest(t, counting())
	job.Set, other.Set = as(job.Set), as(other.Set)
	relation, pairs := job.Set.(datasets.Related).Relation(), datasets.Pairs(job.Set)
	again := must.Get(byEpoch{}.Start(negative.Start{Pairs: len(pairs), BatchSize: 4, Dim: 6, Epochs: 3, Seed: job.Config.Seed}))(t)
	must.Get(again.Epoch(0))(t)
	var all struct{ joined, apart, right, known, holds, images float64 }
	sideBySide(t, 1, [2]Job{job, other}, func(_, step int, _ [2]*trainer, outs [2]Output) {
		out := outs[0]
		batch := must.Get(again.Next())(t)
		image, text := floats(t, out.Values, field.ImageEmbedding), floats(t, out.Values, field.TextEmbedding)
		dim := len(image) / len(batch)
		var joined, right, known, holds, mean float64
		for i := range batch {
			for j := range batch {
				cosine := 0.0
				for d := range dim {
					cosine += float64(image[i*dim+d]) * float64(text[j*dim+d])
				}
				mean += cosine / float64(len(batch)*len(batch))
				if i == j {
					continue
				}
				if math.Abs(cosine-0.05) < 1e-5 {
					t.Fatalf("step %d: a cosine of %g is too near the threshold to recount", step, cosine)
				}
				is, knows := relation.Holds(pairs[batch[i]].Image, batch[j])
				if is {
					holds++
				}
				if cosine > 0.05 {
					joined++
					if knows {
						known++
					}
					if is {
						right++
					}
				}
			}
		}
		apart := float64(len(batch) * (len(batch) - 1))
		for _, want := range []field.Number{
			{Name: "joined pairs", Unit: field.Percent, Sum: joined, Of: apart},
			{Name: "true among joined", Unit: field.Percent, Sum: right,
				Of: known},
			{Name: "true pairs an image", Sum: holds, Of: float64(len(batch))},
		} {
			if got := sums(t, out.Numbers, want.Name); got != want {
				t.Errorf("step %d: got %+v, want %+v", step, got, want)
			}
		}
		if got := sums(t, out.Numbers, "mean cosine"); got.Of != 1 || math.Abs(got.Sum-mean) > 1e-5 {
			t.Errorf("step %d: got a mean cosine of %g of %g, want %g", step, got.Sum, got.Of, mean)
		}
		all.joined, all.apart, all.right, all.known, all.holds = all.joined+joined, all.apart+apart, all.right+right, all.known+known,
			all.holds+holds
	})
	if all.joined == 0 || all.joined == all.apart || all.right == 0 || all.right == all.known {
		t.Fatalf("the threshold distinguishes nothing: %+v", all)
	}
	epoch := finish(t, job).Epochs[0]
	if got := sums(t, epoch.Numbers, "joined pairs"); got.Sum != all.joined || got.Of != all.apart {
		t.Errorf("got %+v of the epoch, want %g of %g", got, all.joined, all.apart)
	}
	counted := epoch.Counted()
	if want := 100 * all.right / all.known; counted["true among joined"] != want {
		t.Errorf("got %g %% true among joined, want %g", counted["true among joined"], want)
	}
	if want := float64(epoch.False.BatchTrue) / (5 * 4); counted["true pairs an image"] != want || want == 0 {
		t.Errorf("got %g true pairs an image, and the false negatives that training counts give %g", counted["true pairs an image"], want)
	}
}

// What is reported is the same in the curves, and in a run that was stopped anywhere, also right after its sampler reported of an epoch.
func TestToldResumes(t *testing.T) {
	whole := smallest(t, counting())
	want := finish(t, whole)
	for _, stops := range [][]int{{1}, {5}, {3, 7, 10, 13}} {
		job := smallest(t, counting())
		if got := finish(t, job, stops...); asJSON(t, got.Epochs) != asJSON(t, want.Epochs) {
			t.Errorf("stopped at %v: got\n%s\nwant\n%s", stops, asJSON(t, got.Epochs), asJSON(t, want.Epochs))
		}
		if read(t, job.Dir, CurvesName) != read(t, whole.Dir, CurvesName) {
			t.Errorf("stopped at %v: other curves", stops)
		}
	}
	for e, record := range want.Epochs {
		got, told := record.Counted()["ordered epoch"]
		if told != (e > 0) || got != float64(e) {
			t.Errorf("epoch %d: the sampler reported %g, %t; want the number of the epoch, but for the first, which nobody orders",
				e, got, told)
		}
	}
	curves := must.Get(ReadCurves(whole.Dir))(t)
	if len(curves.Points) == 0 || len(curves.Epochs) != 3 {
		t.Fatalf("%d points and %d epochs in the curves", len(curves.Points), len(curves.Epochs))
	}
	sums(t, curves.Points[0].Numbers, "joined pairs")
	if got, want := asJSON(t, curves.Epochs[2].Numbers), asJSON(t, want.Epochs[2].Numbers); got != want {
		t.Errorf("got %s in the curves, want %s", got, want)
	}
}

// withoutRelation is a set of which nobody knows what is true.
type withoutRelation struct{ datasets.Set }

// Where the data knows no relation, what needs it is not reported, and the rest is; training is the same to the bit.
func TestToldWithoutRelation(t *testing.T) {
	job := smallest(t, counting())
	known := smallest(t, counting())
	job.Set = withoutRelation{job.Set}
	got, want := finish(t, job), finish(t, known)
	for e, record := range got.Epochs {
		var names []string
		for _, n := range record.Numbers {
			names = append(names, n.Name)
		}
		slices.Sort(names)
		expected := []string{"joined pairs", "mean cosine"}
		if e > 0 {
			expected = append(expected, "ordered epoch")
		}
		if !slices.Equal(names, expected) {
			t.Errorf("epoch %d: got %q, want %q", e, names, expected)
		}
		if asJSON(t, record.Losses) != asJSON(t, want.Epochs[e].Losses) {
			t.Errorf("epoch %d: got other losses than where the relation is known", e)
		}
	}
	if text := asJSON(t, got.Epochs); strings.Contains(text, "true among") {
		t.Errorf("got %s", text)
	}
}

// A part that reports nothing leaves no trace in the records, and a step reads the relation only where a part asks for it.
func TestUntold(t *testing.T) {
	job := smallest(t, plain)
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	if reads := field.Names(tr.step.inputs); slices.Contains(reads, field.Known) || slices.Contains(reads, field.Truth) {
		t.Errorf("the step reads %q, and nobody asks for the truth", reads)
	}
	if text, err := json.Marshal(tally{}); err != nil || strings.Contains(string(text), "Numbers") {
		t.Errorf("got %s, %v", text, err)
	}
}

// Compiled engines report the same counts.
func TestEnginesTellTheSame(t *testing.T) {
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			var jobs [2]Job
			for i := range jobs {
				jobs[i] = smallest(t, counting())
				change(&jobs[i], withoutDropout)
			}
			jobs[1].Backend = enginetest.Open(t, name)
			sideBySide(t, 2, jobs, func(epoch, step int, _ [2]*trainer, outs [2]Output) {
				for k, want := range outs[0].Numbers {
					if got := outs[1].Numbers[k]; got.Name != want.Name || got.Of != want.Of || math.Abs(got.Sum-want.Sum) > 1e-4 {
						t.Errorf("epoch %d, step %d: got %+v, want %+v", epoch, step, got, want)
					}
				}
			})
		})
	}
}
