package eval

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Elsewhere is what tasks measure on the test split of other data than the run's, without any training there, as the papers ask models of
// COCO for Flickr30K and NoCaps. It measures nothing in brief.
type Elsewhere struct {
	Target Target
	Of     Tasks
	// Prefix stands before the names of the metrics, which are those of Of.
	Prefix string
}

func init() { Register("", Elsewhere{}) }

// On are tasks measured on other data, with a prefix before the names of their metrics. See [Elsewhere].
func On(data Target, prefix string, tasks ...Task) Task { return Elsewhere{data, tasks, prefix} }

// Metrics implements Task.
func (e Elsewhere) Metrics() []Info {
	infos := e.Of.Metrics()
	for k := range infos {
		infos[k].Metric = Metric(e.Prefix) + infos[k].Metric
		infos[k].Group = e.Prefix + infos[k].Group
	}
	return infos
}

// Check implements Task.
func (e Elsewhere) Check(f framework.Framework, _ datasets.Set) error {
	switch {
	case e.Prefix == "":
		return fmt.Errorf("eval: what is measured on %s needs names of its own; set Prefix", e.Target.Name)
	case len(e.Of) == 0:
		return fmt.Errorf("eval: nothing is to be measured on %s; name a task", e.Target.Name)
	case e.Target.Scenes == nil && e.Target.Dir == "":
		return fmt.Errorf("eval: it is not known where the data %s lies; name its folder", e.Target.Name)
	}
	collection, err := e.Target.open()
	if err != nil {
		return err
	}
	_, err = e.split(collection, f)
	return err
}

// elsewhere are the splits that are measured on: the first one that has what the tasks take, since benchmarks keep back the captions and
// answers of their test split (VQA v2, NoCaps).
var elsewhere = []string{"test", "val"}

// split names the one that is measured on. The error is the test split's.
func (e Elsewhere) split(collection datasets.Collection, f framework.Framework) (name string, err error) {
	for _, name := range elsewhere {
		set, lacking := collection.Split(name)
		if lacking == nil {
			lacking = e.Of.Check(f, set)
		}
		if lacking == nil {
			return name, nil
		}
		if err == nil {
			err = lacking
		}
	}
	return "", err
}

// Measure implements Task.
func (e Elsewhere) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := e.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	if on.On == nil {
		return Measured{}, fmt.Errorf("eval: %s is other data, which cannot be reached here; measure by a run", e.Target.Name)
	}
	collection, err := e.Target.open()
	if err != nil {
		return Measured{}, err
	}
	split, err := e.split(collection, on.Model.Framework())
	if err != nil {
		return Measured{}, err
	}
	there, err := on.On(ctx, collection, split)
	if err != nil {
		return Measured{}, err
	}
	result := Result{}
	for _, task := range e.Of {
		measured, err := task.Measure(ctx, there)
		if err != nil {
			return Measured{}, fmt.Errorf("eval: %s: %w", e.Target.Name, err)
		}
		for name, v := range measured.Metrics {
			result[Metric(e.Prefix)+name] = v
		}
	}
	return Measured{Metrics: result}, nil
}
