package eval

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Elsewhere is zero-shot retrieval on the test split of other data than the run's, as the papers ask models of COCO for Flickr30K. It measures
// nothing in brief.
type Elsewhere struct {
	Target    Target
	Retrieval Retrieval
	// Prefix stands before the names of the metrics, which are those of Retrieval.
	Prefix string
}

// Metrics implements Task.
func (e Elsewhere) Metrics() []Info {
	infos := e.Retrieval.Metrics()
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
		return fmt.Errorf("eval: retrieval on %s needs names of its own; set Prefix", e.Target.Name)
	case e.Target.Scenes == nil && e.Target.Dir == "":
		return fmt.Errorf("eval: it is not known where the data %s lies; name its folder", e.Target.Name)
	case e.Retrieval.Rerank < 1:
		return fmt.Errorf("eval: re-ranking %d candidates; use at least 1", e.Retrieval.Rerank)
	case !framework.Retrieves(f):
		return fmt.Errorf("eval: retrieval goes by embeddings of images and captions or by scores of pairs, which %s does not make", f.Name())
	}
	return nil
}

// Measure implements Task.
func (e Elsewhere) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := e.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	if on.On == nil {
		return Measured{}, fmt.Errorf("eval: retrieval on %s goes to other data, which it cannot reach; measure by a run", e.Target.Name)
	}
	collection, err := e.Target.open()
	if err != nil {
		return Measured{}, err
	}
	there, err := on.On(ctx, collection, "test")
	if err != nil {
		return Measured{}, err
	}
	if err := captioned("retrieval", there.Set); err != nil {
		return Measured{}, err
	}
	measured, err := e.Retrieval.Measure(ctx, there)
	if err != nil {
		return Measured{}, fmt.Errorf("eval: %s: %w", e.Target.Name, err)
	}
	result := Result{}
	for name, v := range measured.Metrics {
		result[Metric(e.Prefix)+name] = v
	}
	return Measured{Metrics: result}, nil
}
