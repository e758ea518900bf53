package train

import (
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// tellOne reports 1, made of what a part sees.
func tellOne(part string, by field.Reporter, sees *Node) {
	by.Tell("one of "+part, OnesLike(ReduceAllSum(sees)))
}

type tellingContrast struct{ negative.InfoNCE }

func (p tellingContrast) ITC(f negative.Features) negative.Contrasted {
	tellOne("contrast", f.Reporter, f.Image)
	return p.InfoNCE.ITC(f)
}

type tellingMatching struct{ negative.Hardest }

func (p tellingMatching) Pairs(c negative.Contrasted, noise *Node) negative.Pairs {
	tellOne("matching", c.Reporter, c.I2T)
	return p.Hardest.Pairs(c, noise)
}

func (p tellingMatching) Negatives(c negative.Contrasted, noise *Node) (images, texts *Node) {
	tellOne("matching", c.Reporter, c.I2T)
	return p.Hardest.Negatives(c, noise)
}

type tellingPositives struct{ negative.ECM }

func (p tellingPositives) Connect(c negative.Candidates) negative.Connections {
	tellOne("positives", c.Reporter, c.ImageScores)
	return p.ECM.Connect(c)
}

type tellingWriting struct{ negative.TAGS }

func (p tellingWriting) Write(w negative.Writer) negative.Written {
	tellOne("writing", w.Reporter, w.Captions)
	return p.TAGS.Write(w)
}

// tellingLeftOut leaves nothing out. Of both kinds of anchors it reports the negatives that are true pairs.
type tellingLeftOut struct{}

func (tellingLeftOut) Find(a negative.Anchors, s negative.Sight) *Node {
	if truth := s.Truth(); truth != nil {
		apart := ConvertDType(a.Negative, a.Cosines.DType())
		s.TellShare("false among negatives", Mul(apart, ofAnchors(truth.Holds, a)), Mul(apart, ofAnchors(truth.Known, a)))
	}
	return LogicalAnd(a.Negative, LogicalNot(a.Negative))
}

// ofAnchors is a relation of pairs, [batch, batch], as one of anchors and their candidates, [batch, views, candidates].
func ofAnchors(x *Node, a negative.Anchors) *Node {
	if a.Of == negative.TextAnchors {
		x = Transpose(x, 0, 1)
	}
	dims := a.Cosines.Shape().Dimensions
	return BroadcastToDims(InsertAxes(Concatenate(slices.Repeat([]*Node{x}, dims[2]/dims[0]), 1), 1), dims...)
}

// tellingModel is ALBEF that reports a number of its own.
type tellingModel struct{ albef.Model }

func (m tellingModel) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	told := m.Model.Step(s, u, in)
	u.TellMean("image norm", "nats", ReduceAllSum(Square(told.Outputs[field.ImageEmbedding])),
		OnesLike(ReduceSum(told.Outputs[field.ImageEmbedding], -1)))
	return told
}

// Parts of every kind are heard, and once a step, though the losses are built again where a sampler is rewarded.
func TestEveryPartTells(t *testing.T) {
	method := negative.Method{
		Name: "telling", Contrast: tellingContrast{}, Matching: tellingMatching{},
		Positives: tellingPositives{negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}},
	}.WithDefaults()
	out := finish(t, smallest(t, method))
	for _, part := range []string{"contrast", "matching", "positives"} {
		for _, record := range out.Epochs {
			if got, want := sums(t, record.Numbers, "one of "+part), (field.Number{Name: "one of " + part, Sum: 5, Of: 5}); got != want {
				t.Errorf("epoch %d: got %+v, want %+v", record.Epoch, got, want)
			}
		}
	}
	written := writing()
	written.Matching, written.Writing = tellingMatching{}, tellingWriting{written.Writing.(negative.TAGS)}
	for _, record := range finish(t, onUNITER(t, written, 0)).Epochs {
		for _, part := range []string{"matching", "writing"} {
			if got := sums(t, record.Numbers, "one of "+part); got.Sum != 5 || got.Of != 5 {
				t.Errorf("epoch %d of UNITER: got %+v", record.Epoch, got)
			}
		}
	}
	rewarded := negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8})
	rewarded.Contrast, rewarded.LeftOut = tellingContrast{}, tellingLeftOut{}
	job := smallest(t, rewarded)
	job.Config.Framework.Framework = tellingModel{job.Config.Framework.Framework.(albef.Model)}
	for _, record := range finish(t, job).Epochs {
		if got := sums(t, record.Numbers, "one of contrast"); got.Of != 5 {
			t.Errorf("epoch %d: reported %g times in 5 steps", record.Epoch, got.Of)
		}
		want := field.Number{Name: "false among negatives", Unit: field.Percent, Sum: 2 * float64(record.False.BatchTrue),
			Of: 2 * float64(record.False.Batch)}
		if got := sums(t, record.Numbers, want.Name); got != want || want.Sum == 0 {
			t.Errorf("epoch %d: got %+v of both kinds of anchors, want %+v", record.Epoch, got, want)
		}
		if got, want := record.Counted()["image norm"], 1.0; math.Abs(got-want) > 1e-5 {
			t.Errorf("epoch %d: got an image norm of %g, want %g", record.Epoch, got, want)
		}
	}
}

// What a part that leaves negatives out reports by the relation of anchors and candidates is what training counts of it: of images and
// captions, of views of images by their classes, and on CLIP.
func TestTruthOfAnchors(t *testing.T) {
	method := negative.Method{Name: "telling", LeftOut: tellingLeftOut{}}.WithDefaults()
	for name, job := range map[string]Job{
		"ALBEF": smallest(t, method), "SimCLR": onSimCLR(t, method, true), "CLIP": onCLIP(t, method, false),
		"partly known": smallest(t, method),
	} {
		if name == "partly known" {
			job.Set = partlyKnown{job.Set}
		}
		met := 0
		for _, record := range finish(t, job).Epochs {
			met += record.Observed.Found().False
			want := field.Number{Name: "false among negatives", Unit: field.Percent, Sum: float64(record.Observed.Found().False),
				Of: float64(record.Observed.Found().Negatives)}
			if got := sums(t, record.Numbers, want.Name); got != want || want.Sum == want.Of {
				t.Errorf("%s, epoch %d: got %+v, want %+v", name, record.Epoch, got, want)
			}
			if unknown := record.Observed.Found().Unknown > 0; unknown != (name == "partly known") {
				t.Errorf("%s: got %+v", name, record.Observed.Found())
			}
		}
		if met == 0 {
			t.Errorf("%s met no false negative", name)
		}
	}
}

// noisy is a contrast that reads a field which its framework reads, too.
type noisy struct{ negative.InfoNCE }

func (noisy) Reads() []field.Name { return []field.Name{field.Noise} }

func (n noisy) ITC(f negative.Features) negative.Contrasted {
	f.Tell("mean of noise", ReduceAllMean(f.Fields.Of(field.Noise)))
	return n.InfoNCE.ITC(f)
}

// A field that both a framework and a part read is made once, and standard Gumbel noise has Euler's constant as its mean.
func TestFieldReadTwice(t *testing.T) {
	job := smallest(t, negative.Method{Name: "mine", Contrast: noisy{}}.WithDefaults())
	reads := field.Names(job.Config.Inputs())
	slices.Sort(reads)
	if once := slices.Compact(slices.Clone(reads)); len(once) != len(reads) {
		t.Errorf("the step reads %q", reads)
	}
	if got := finish(t, job).Epochs[0].Counted()["mean of noise"]; math.Abs(got-0.5772) > 4*1.2825/math.Sqrt(5*32) {
		t.Errorf("got a mean of %g", got)
	}
}
