package weights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
)

// Model reads the whole of the checkpoint's model for the store that has it declared: all variables below root, in float32. The report
// tells what became of the file; a variable without a tensor is an error, and so is one of another shape. Only the head for MLM, BLIP-2's
// for ITG and the temperature may be drawn: checkpoints of retrieval have none.
func (s Source) Model(store *model.Store, root string) (Values, Report, error) {
	f, family, err := s.open()
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	if family.Whole == nil {
		return nil, Report{}, fmt.Errorf("weights: %s: it looks like %s, of which no whole model is read", s.Path, family.Name)
	}
	values, report, err := f.Import(family.Whole(root))
	if err != nil {
		return nil, report, err
	}
	for v := range store.Scope(root).IterVariables() {
		value, has := values[v.Path()]
		switch {
		case !has:
			report.Missing = append(report.Missing, v.Path())
		case !slices.Equal(value.Shape().Dimensions, v.Shape().Dimensions):
			hint := "choose a model of these sizes"
			if strings.HasSuffix(v.Path(), "/word/"+encoder.Embedding) && v.Shape().Dim(-1) == value.Shape().Dim(-1) {
				hint = "give the vocabulary that belongs to these weights with -vocab"
			}
			return nil, report, fmt.Errorf("weights: %s: variable %s has the shape %v there, %v in the model; %s",
				s.Path, v.Path(), value.Shape().Dimensions, v.Shape().Dimensions, hint)
		}
	}
	slices.Sort(report.Missing)
	if err := report.Check(root+"/text/mlm/*", root+"/qformer/mlm/*", root+"/"+encoder.Temperature); err != nil {
		return nil, report, fmt.Errorf("%w By its names it is of %s", err, family.Name)
	}
	report.Drawn, report.Missing = report.Missing, nil
	for path := range values {
		if store.GetVariable(path) == nil {
			return nil, report, fmt.Errorf("weights: %s: the model has no variable %s; is it one of fewer layers?", s.Path, path)
		}
	}
	values, err = values.as(dtypes.Float32)
	return values, report, err
}
