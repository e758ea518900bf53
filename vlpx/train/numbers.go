package train

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// survey builds the step's forward pass once, without compiling or running it, to learn what its parts ask for and report. Where one asks
// for the relation, and the data knows it, the step reads it from then on: counting all pairs of each mini-batch is left out where nobody
// looks.
//
//   - room: see Step.Run.
//   - known: whether the data knows the relation.
//   - taken: names that other numbers of the run have, with what has them; those of the parts join them.
func (s *Step) survey(room int, known bool, taken map[string]string) error {
	if err := s.open(); err != nil {
		return err
	}
	reports := &field.Reports{}
	err := exceptions.TryCatch[error](func() {
		defer framework.Orderly()
		g := graph.NewGraph(s.backend, "survey")
		defer g.Finalize()
		in := field.Nodes{}
		for _, f := range s.inputs {
			in[f.Name] = graph.Parameter(g, string(f.Name), f.Shape)
		}
		relation := field.Nodes{}
		if known {
			for _, name := range relationFields {
				relation[name] = graph.Parameter(g, "relation: "+string(name), s.config.Use().Field(name).Shape)
			}
		}
		reports = field.NewReports(relation)
		f, u := s.config.Framework.Framework, s.config.Use()
		u.Room, u.Reporter = room, reports.By(field.Part("framework", f))
		s.store.SetTraining(g, true)
		f.Step(s.store.RootScope(), u, in)
	})
	switch {
	case err != nil && !known && reports.RelationRequested():
		return fmt.Errorf("train: building the step, in which a part asks for the truth of pairs, of which this data knows nothing, "+
			"so that it is nil: %w", err)
	case err != nil:
		return fmt.Errorf("train: building the step: %w", err)
	}
	if known && reports.RelationRequested() {
		for _, name := range relationFields {
			if !slices.ContainsFunc(s.inputs, func(f field.Field) bool { return f.Name == name }) {
				s.inputs = append(s.inputs, s.config.Use().Field(name))
			}
		}
	}
	numbers, by := reports.Numbers()
	for k, n := range numbers {
		if err := free(n.Name, by[k], taken); err != nil {
			return err
		}
		taken[n.Name] = "what " + by[k] + " reports"
	}
	return nil
}

// relationFields are the fields by which a step knows the relation.
var relationFields = []field.Name{field.Truth, field.Known}

// taken are the names that the numbers of every run have, with what has them.
func (c Config) taken() map[string]string {
	names := map[string]string{}
	for _, loss := range c.Framework.Losses() {
		names[string(loss)] = "a loss of " + c.Framework.Name()
	}
	for _, name := range []field.Name{field.GradientNorm, field.Temperature, field.Improvement} {
		names[string(name)] = "reported of each step"
	}
	for _, name := range counted() {
		names[name] = "what training counts"
	}
	return names
}

// counted are the names of Record.Counted, but for those that parts report.
func counted() []string {
	return append(negative.ObservedMetrics(), FalseInBatch, FalseHardest, FalseOfImages, FalseOfTexts, FalseChosen)
}

// free says that a name is another number's already.
func free(name, by string, taken map[string]string) error {
	if other, is := taken[name]; is {
		return fmt.Errorf("train: %s reports %q, which is %s; give the number another name", by, name, other)
	}
	return nil
}

// withSums are numbers with their sums of a step, [numbers, 2].
func withSums(numbers field.Numbers, sums *tensors.Tensor) (field.Numbers, error) {
	flat, err := tensors.CopyFlatData[float32](sums)
	if err != nil {
		return nil, fmt.Errorf("train: reading the numbers that parts report: %w", err)
	}
	all := slices.Clone(numbers)
	for k := range all {
		all[k].Sum, all[k].Of = float64(flat[2*k]), float64(flat[2*k+1])
	}
	return all, nil
}

// addNumbers takes the numbers of a step or of the sampler into the epoch's.
func (t *trainer) addNumbers(numbers field.Numbers, by func(k int) string) error {
	for k, n := range numbers {
		if !n.Finite() {
			return fmt.Errorf("train: %s: epoch %d, step %d: %s reports %q, which is %g of %g; "+
				"report a share or a mean by its two sums, which may be zero",
				t.job.Config.Method.Name, t.Epoch, t.Step, by(k), n.Name, n.Sum, n.Of)
		}
		t.Current.Numbers.Add(n)
	}
	return nil
}

// samplerNumbers takes what the sampler has reported since the last call, if it reports anything.
func (t *trainer) samplerNumbers() error {
	sampler, tells := t.sampler.(negative.Numbering)
	if !tells {
		return nil
	}
	return t.reported(sampler.Numbers(), field.Part("batches", t.job.Config.Method.Batches))
}

// reported takes the numbers of a part that reports outside of the graph.
func (t *trainer) reported(numbers field.Numbers, by string) error {
	for _, n := range numbers {
		if err := free(n.Name, by, t.taken); err != nil {
			return err
		}
	}
	return t.addNumbers(numbers, func(int) string { return by })
}
