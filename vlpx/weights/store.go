package weights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Values are variables by their paths in a store.
type Values map[string]*tensors.Tensor

// Read reads the variables of tables from a safetensors file; see File.Variables.
func Read(path string, tables ...Table) (Values, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Variables(tables...)
}

// Put gives a store the values, in float32 or float64: in the place of those that it has, else as new variables.
func (v Values) Put(store *model.Store, dtype dtypes.DType) error {
	for path, value := range v {
		value, err := As(value, dtype)
		if err == nil {
			err = put(store, path, value)
		}
		if err != nil {
			return fmt.Errorf("weights: variable %s: %w", path, err)
		}
	}
	return nil
}

func put(store *model.Store, path string, value *tensors.Tensor) error {
	if v := store.GetVariable(path); v != nil {
		if !v.Shape().Equal(value.Shape()) {
			return fmt.Errorf("it is read as %s, the model has %s", value.Shape(), v.Shape())
		}
		return v.SetValue(value)
	}
	_, err := store.CreateVariable(path, value)
	return err
}

// Missing tells the variables below a root that have no value, such as those that were not read after a model was declared.
func Missing(store *model.Store, root string) error {
	var lacking []string
	for v := range store.Scope(root).IterVariables() {
		if !v.HasValue() {
			lacking = append(lacking, v.Path())
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	slices.Sort(lacking)
	return fmt.Errorf("weights: nothing was read for %s", strings.Join(lacking, ", "))
}
