package bench

import (
	"cmp"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// described is a step as PyTorch's reads it from step.json.
type described struct {
	Framework string          `json:"framework"`
	Settings  any             `json:"settings"`  // of the model, as an export has them
	Distilled *distilled      `json:"distilled"` // ALBEF's contrast; null for another
	Contrast  map[string]any  `json:"contrast"`  // any other, by its kind
	Hardest   bool            `json:"hardest"`   // ITM's negatives are the hardest ones, else drawn by noise
	Positives *connected      `json:"positives"` // MAFA's new positives; null for none
	Room      int             `json:"room"`      // rows for them
	Reward    []negative.Loss `json:"reward"`    // losses of which a step tells by how much it lowered them; null for none
	Repeats   bool            `json:"repeats"`   // these losses are those of the step before its update
	AdamW     train.AdamW     `json:"adamw"`
	LARS      train.LARS      `json:"lars"`
	Losses    []negative.Loss `json:"losses"`
	Device    string          `json:"device"` // cpu or cuda
	Half      bool            `json:"half"`   // products in bfloat16
	TF32      bool            `json:"tf32"`   // other products with 10 bits, on a GPU

	table, frozen weights.Table // the published names of the model's weights, and of a frozen reference's
}

// distilled has ALBEF's momentum distillation.
type distilled struct {
	Alpha float64 `json:"alpha"`
	Decay float64 `json:"decay"`
	Queue int     `json:"queue"`
}

// connected has MAFA's mining of connections.
type connected struct {
	Low  float64         `json:"low"`
	High float64         `json:"high"`
	Use  []negative.Loss `json:"use"`
}

// describe tells a step on an engine to PyTorch, or why PyTorch's would be another one.
func describe(c train.Config, engine string) (d described, err error) {
	no := func(what, advice string) (described, error) {
		return described{}, fmt.Errorf("benchmark: PyTorch's step has no %s; %s", what, advice)
	}
	f := c.Framework.Framework
	d = described{Framework: f.Name(), AdamW: c.Optimiser, LARS: c.LARS, Device: "cpu"}
	if onGPU(engine) {
		d.Device, d.TF32 = "cuda", inTF32(engine)
	}
	if half, can := f.(framework.InHalf); can {
		d.Half = half.InHalf()
	}
	dropout, locked, own, smoothing := 0.0, 0, false, 0.0
	switch f := f.(type) {
	case albef.Model:
		dropout, locked, own = f.Text.Dropout, f.Vision.Locked, f.Vision.CLIP || f.FreeTemperature || f.CaptionPadding
		d.Settings, d.table, d.frozen = f.Export().Settings, f.Export().Table, weights.ALBEF(framework.Frozen)
	case clip.Model:
		locked, own = f.Vision.Locked, len(f.ResNet.Layers) > 0 || !f.Vision.CLIP || f.Vision.Activation != f.Text.Activation
		d.Settings, d.table = f.Export().Settings, f.Export().Table
	case blip2.Model:
		dropout, smoothing, own = f.Text.Dropout, f.Smoothing, f.Vision.CLIP || !f.Vision.EVA || f.Vision.Activation != "" ||
			f.Vision.Locked == 0 && !f.Frozen
		d.Settings, d.table, d.frozen = f.Export().Settings, f.Export().Table, weights.BLIP2(framework.Frozen)
	case simclr.Model:
		own = f.Vision.Width > 0
		d.Settings, d.table = f, weights.SimCLR(framework.Model)
	default:
		return no(f.Name(), "race ALBEF, CLIP, SimCLR or BLIP-2, or leave -peer out")
	}
	switch {
	case c.Devices > 1:
		return no("mini-batch that is divided among devices", "set devices=0")
	case c.Chunk > 0:
		return no("mini-batch that is encoded in chunks", "set chunk=0")
	case c.EMA > 0:
		return no("average of the weights", "set ema=0")
	case dropout > 0:
		return no("dropout by our draws", "set dropout=0")
	case locked > 0:
		return no("locked encoder", "lock none")
	case own:
		return no("such a "+f.Name(), "race the usual one of the scale")
	}
	for _, name := range f.Losses() {
		if c.Objectives.Has(name) {
			d.Losses = append(d.Losses, name)
		}
	}
	if !d.method(c.Method, smoothing) || c.Optimiser.TemperatureRate != 0 || c.Optimiser.LayerDecay != 0 || c.Optimiser.LoRA != 0 {
		return no(c.Method.Name+" of "+f.Name(), "race "+strings.Join(raced(f), ", ")+", or leave -peer out")
	}
	return d, nil
}

// raced are the methods that PyTorch's step of a framework is known to have.
func raced(f framework.Framework) []string {
	switch f.(type) {
	case simclr.Model:
		return []string{"InfoNCE"}
	case blip2.Model:
		return []string{"InfoNCE", "GRIT-VLP", "FALCON", "MAFA", "GloFND"}
	}
	return []string{"InfoNCE", "ALBEF", "GRIT-VLP", "FALCON", "MAFA", "GloFND"}
}

// method adds a method, if PyTorch's step has all of its parts.
func (d *described) method(m negative.Method, smoothing float64) bool {
	views := d.Framework == simclr.Model{}.Name()
	d.Contrast = map[string]any{}
	switch contrast := m.Contrast.(type) {
	case negative.InfoNCE:
		d.Contrast["kind"], d.Contrast["smoothing"] = "InfoNCE", smoothing
		if contrast.Items {
			return false
		}
	case negative.Distilled:
		d.Distilled = &distilled{contrast.Alpha, contrast.Decay, contrast.Queue}
		if contrast.Items || m.Positives != nil {
			return false
		}
	case negative.Consistency:
		d.Contrast["kind"], d.Contrast["weight"], d.Contrast["convex"] = "consistency", contrast.Weight, contrast.Convex
	case negative.Smoothed:
		d.Contrast["kind"], d.Contrast["alpha"], d.Contrast["first"] = "smoothed", contrast.Alpha, contrast.FirstEpoch
	case negative.SogCLR:
		d.Contrast["kind"], d.Contrast["gamma"], d.Contrast["decay"], d.Contrast["temperature"] = "SogCLR", contrast.Gamma, contrast.Decay,
			contrast.Temperature
		if contrast.As != negative.ByAuthors || m.Positives != nil {
			return false
		}
	default:
		return false
	}
	if _, plain := m.Contrast.(negative.InfoNCE); views && !plain {
		return false
	}
	switch m.Matching.(type) {
	case negative.Sampled:
	case negative.Hardest:
		d.Hardest = true
	default:
		return false
	}
	if m.Writing != nil || m.Attract || views && (m.LeftOut != nil || m.Positives != nil) {
		return false
	}
	d.Repeats = d.Distilled == nil && m.Positives == nil
	if rewarded, is := m.Batches.(negative.Rewarded); is {
		for _, name := range d.Losses {
			if rewarded.Reward().Has(name) {
				d.Reward = append(d.Reward, name)
			}
		}
		if views || d.Distilled != nil || m.Positives != nil || len(d.Reward) == 0 {
			return false
		}
	}
	return d.positives(m.Positives) && d.leftOut(m.LeftOut)
}

// positives adds new positives, if PyTorch's step has such.
func (d *described) positives(p negative.Positives) bool {
	if p == nil {
		return true
	}
	ecm, is := p.(negative.ECM)
	if !is || ecm.JudgedBy != negative.ConD || ecm.Eliminate || len(d.frozen.Rules) == 0 {
		return false
	}
	d.Positives = &connected{Low: ecm.Low, High: ecm.High}
	for _, name := range d.Losses {
		if ecm.Use.Has(name) {
			d.Positives.Use = append(d.Positives.Use, name)
		}
	}
	return true
}

// leftOut adds negatives that are left out, if PyTorch's step has such.
func (d *described) leftOut(l negative.LeftOut) bool {
	if d.Contrast["left"] = nil; l == nil {
		return true
	}
	t, is := l.(negative.Thresholds)
	if _, sogCLR := d.Contrast["gamma"]; !is || !sogCLR || t.Descent || t.Single || t.Known {
		return false
	}
	d.Contrast["left"] = map[string]any{
		"alpha": t.Alpha, "learn": t.Learn, "use": t.Use, "begins": t.FromBatch, "rate": cmp.Or(t.Rate, 0.05),
		"beta1": cmp.Or(t.Beta1, 0.9), "beta2": cmp.Or(t.Beta2, 0.98), "epsilon": cmp.Or(t.Epsilon, 1e-8),
	}
	return true
}

// onGPU tells of an engine by its name whether it is on a GPU.
func onGPU(engine string) bool { return strings.Contains(engine, "cuda") }

// inTF32 tells of an engine on a GPU whether its products of float32 have 10 bits.
func inTF32(engine string) bool { return onGPU(engine) && !strings.Contains(engine, "tf32=false") }
