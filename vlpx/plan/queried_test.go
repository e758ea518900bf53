package plan_test

import (
	"testing"

	"vlpx.internal/internal/test/must"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// At a scale with BLIP-2's sizes, MAFA mines by Con-D alone, within ten mini-batches, smooths by .2, and gives its new positives to the
// contrast and to matching but not to generation; GRIT-VLP and FALCON give their mini-batches alone.
func TestBLIP2Rows(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		s := must.Get(scale.Preset(name, false))(t)
		must.Do(t, s.Frame("BLIP-2"))
		of := func(method string) negative.Method { return blip2.Row(method).Method(s).WithDefaults() }
		plain, grit, mafa, falcon := of(""), of("GRIT-VLP"), of("MAFA"), of("FALCON")
		if plain.Batches != (negative.Uniform{}) || plain.Contrast != (negative.InfoNCE{Items: true}) ||
			plain.Matching != (negative.Sampled{}) || plain.Positives != nil {
			t.Errorf("%s: BLIP-2 has %+v", name, plain)
		}
		grouped, is := grit.Batches.(negative.Grouped)
		if !is || name != "tiny" && grouped.SearchSpace != 10*s.BatchSize {
			t.Errorf("%s: BLIP-2 + GRIT searches %+v by mini-batches of %d, want ten", name, grit.Batches, s.BatchSize)
		}
		if scheduled, is := falcon.Batches.(negative.Scheduled); !is || scheduled.SearchSpace != grouped.SearchSpace ||
			scheduled.Objectives != negative.Of(negative.ITG) {
			t.Errorf("%s: BLIP-2 + FALCON has the mini-batches %+v, want ITG's reward", name, falcon.Batches)
		}
		for _, m := range []negative.Method{grit, falcon} {
			if m.Contrast != plain.Contrast || m.Matching != plain.Matching || m.Positives != nil || m.LeftOut != nil {
				t.Errorf("%s: %s differs from BLIP-2 in more than its mini-batches: %+v", name, m.Name, m)
			}
		}
		ecm, is := mafa.Positives.(negative.ECM)
		if !is || ecm.Low != ecm.High || !(ecm.High > 0) || ecm.Use != negative.Of(negative.ITC, negative.ITM) ||
			mafa.Batches != negative.Batches(grouped) {
			t.Errorf("%s: BLIP-2 + MAFA has %+v in %+v", name, mafa.Positives, mafa.Batches)
		}
		if smoothed, is := mafa.Contrast.(negative.Smoothed); !is || smoothed.Alpha != .2 {
			t.Errorf("%s: BLIP-2 + MAFA has the labels of %+v, want S-ITC by .2", name, mafa.Contrast)
		}
		oracle := of("MAFA (Oracle)").Positives.(negative.ECM)
		if blip2.Row("MAFA (Oracle)").Reference != nil || oracle.Use != ecm.Use {
			t.Errorf("%s: with the relation it has %+v, and a model to ask", name, oracle)
		}
	}
}
