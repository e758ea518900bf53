package benchmark

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// described is a step as peer.py reads it from step.json.
type described struct {
	Framework string          `json:"framework"`
	Settings  any             `json:"settings"`  // of the model, as an export has them
	Distilled *distilled      `json:"distilled"` // ALBEF's contrast; null for InfoNCE
	Hardest   bool            `json:"hardest"`   // ITM's negatives are the hardest ones, else drawn by noise
	AdamW     train.AdamW     `json:"adamw"`
	LARS      train.LARS      `json:"lars"`
	Losses    []negative.Loss `json:"losses"`
}

// distilled has ALBEF's momentum distillation.
type distilled struct {
	Alpha float64 `json:"alpha"`
	Decay float64 `json:"decay"`
	Queue int     `json:"queue"`
}

// describe tells a step to PyTorch, and the published names of the model's weights, or why PyTorch's would be another one.
func describe(c train.Config) (d described, table weights.Table, err error) {
	no := func(what, advice string) (described, weights.Table, error) {
		return described{}, weights.Table{}, fmt.Errorf("benchmark: PyTorch's step has no %s; %s", what, advice)
	}
	f, m := c.Framework.Framework, c.Method
	d = described{Framework: f.Name(), AdamW: c.Optimiser, LARS: c.LARS}
	half, dropout, locked, own := false, 0.0, 0, false
	switch f := f.(type) {
	case albef.Model:
		half, dropout, locked, own = f.Half, f.Text.Dropout, f.Vision.Locked, f.Vision.CLIP || f.FreeTemperature || f.CaptionPadding
		d.Settings, table = f.Export().Settings, f.Export().Table
	case clip.Model:
		half, locked, own = f.Half, f.Vision.Locked, len(f.ResNet.Layers) > 0 || !f.Vision.CLIP || f.Vision.Activation != f.Text.Activation
		d.Settings, table = f.Export().Settings, f.Export().Table
	case simclr.Model:
		half, own = f.Half, f.Vision.Width > 0
		d.Settings, table = f, weights.SimCLR(framework.Model)
	default:
		return no(f.Name(), "race ALBEF, CLIP or SimCLR, or leave -peer out")
	}
	switch {
	case half:
		return no("products in bfloat16", "set half=false, so that both have float32")
	case dropout > 0:
		return no("dropout by our draws", "set dropout=0")
	case locked > 0:
		return no("locked encoder", "lock none")
	case own:
		return no("such a "+f.Name(), "race the usual one of the scale")
	}
	switch contrast := m.Contrast.(type) {
	case negative.InfoNCE:
		own = contrast.Items
	case negative.Distilled:
		own = contrast.Items
		d.Distilled = &distilled{contrast.Alpha, contrast.Decay, contrast.Queue}
		if _, views := f.(simclr.Model); views {
			own = true
		}
	default:
		own = true
	}
	switch m.Matching.(type) {
	case negative.Sampled:
	case negative.Hardest:
		d.Hardest = true
	default:
		own = true
	}
	_, rewarded := m.Batches.(negative.Rewarded)
	if own || m.Positives != nil || m.LeftOut != nil || m.Writing != nil || rewarded || c.Optimiser.TemperatureRate != 0 {
		return no(m.Name+" of "+f.Name(), "race InfoNCE or ALBEF, or leave -peer out")
	}
	for _, name := range f.Losses() {
		if c.Objectives.Has(name) {
			d.Losses = append(d.Losses, name)
		}
	}
	return d, table, nil
}

// export writes a step into a folder: step.json, model.safetensors with the model's first values in published names, and batch.safetensors with
// the mini-batch by the names of its fields, and what the method keeps below "state/".
func export(dir string, c train.Config, probe *run.Probe, in field.Values) error {
	d, table, err := describe(c)
	if err != nil {
		return err
	}
	values, err := probe.Values(framework.Model)
	if err != nil {
		return err
	}
	published, err := weights.Values(values).Published(table)
	if err == nil {
		err = published.Write(filepath.Join(dir, "model.safetensors"))
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
