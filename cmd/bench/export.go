package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// export writes a step into a folder: step.json, model.safetensors with the model's first values in published names, reference.safetensors
// with those of a frozen model, where the method asks one, and batch.safetensors with the mini-batch by the names of its fields, and what
// the method keeps below "state/".
func export(dir string, d described, probe *run.Probe, in field.Values) error {
	d.Room = probe.Room()
	err := writeModel(filepath.Join(dir, "model.safetensors"), probe, framework.Model, d.table)
	if err == nil && d.Positives != nil {
		err = writeModel(filepath.Join(dir, "reference.safetensors"), probe, framework.Frozen, d.frozen)
	}
	if err != nil {
		return err
	}
	batch := weights.Tensors{}
	for name, x := range in {
		batch[string(name)] = x
	}
	state, err := probe.Values(framework.State)
	if err != nil {
		return err
	}
	for path, x := range state {
		batch[path[1:]] = x
	}
	if err := batch.Write(filepath.Join(dir, "batch.safetensors")); err != nil {
		return err
	}
	text, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "step.json"), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("benchmark: %w", err)
	}
	return nil
}

// writeModel writes the variables below a root by their published names.
func writeModel(path string, probe *run.Probe, root string, table weights.Table) error {
	values, err := probe.Values(root)
	if err != nil {
		return err
	}
	published, err := weights.Values(values).Published(table)
	if err != nil {
		return err
	}
	return published.Write(path)
}
