package preset

import (
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Row is BLIP-2's first stage under a row's name, by itself or with a method, as MAFA and FALCON put them into it: GRIT-VLP and FALCON
// give their mini-batches alone, and MAFA besides its smoothed labels and new positives, without re-sampling and without their texts in the
// generative loss (MAFA, appendix A; METHODS.md 4.4).
func Row(method string, numbers ...float64) plan.Row {
	own := func(_ scale.Scale, m *negative.Method) {
		m.Contrast, m.Matching = negative.InfoNCE{Items: true}, negative.Sampled{}
	}
	switch method {
	case "":
		return plan.MethodRow("InfoNCE", numbers...).As(Name).With(own).On(Name)
	case "GRIT-VLP", "FALCON":
		name := map[string]string{"GRIT-VLP": "BLIP-2 + GRIT", "FALCON": "BLIP-2 + FALCON"}[method]
		return plan.MethodRow(method, numbers...).As(name).With(own).On(Name)
	}
	row := plan.MethodRow(method, numbers...).As("BLIP-2 + " + method).With(func(_ scale.Scale, m *negative.Method) {
		ecm := m.Positives.(negative.ECM)
		ecm.Low, ecm.Use = ecm.High, negative.Of(negative.ITC, negative.ITM)
		m.Positives = ecm
	})
	if row.Reference != nil { // the paper's Con-D is the plain model, fine-tuned
		judge := plan.MethodRow("InfoNCE").As(Name).With(own).Tuned(scale.PlainTuning)
		row.Reference = &judge
	}
	return row.On(Name)
}
