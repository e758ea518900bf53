package train

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// What a sharded program has besides the other one's: its mesh of devices, and which axis of what lies on which.
var sharding = regexp.MustCompile(` attributes \{[^}]*\}|[ ]*sdy\.mesh .*\n| \{ sdy\.sharding = [^>]*> \}`)

// The step that training compiles for two devices is lowered, and is the very program of one device but for the layout: fields with a row a
// pair are in two parts, variables and results on both. So contrasts see the embeddings of all pairs, and losses and gradients are those of
// the whole. What gathers them XLA adds; nothing is run here.
func TestShardedStepOnXLA(t *testing.T) {
	xla := enginetest.Record(t)
	for name, job := range map[string]Job{
		"ALBEF": smallest(t, negative.ALBEF(8)), "CLIP": onCLIP(t, scheduledByITC(), true),
		"SimCLR": onSimCLR(t, viewMethods()[1], false), "BLIP-2": onGenerative(t),
		"UNITER": pretraining(onUNITER(t, negative.Plain(), 0.1)),
		"GPT":    onGPT(t, 0.1), "OPT": onOPT(t), "statements": stating(t),
	} {
		t.Run(name, func(t *testing.T) {
			c := job.Config
			store, f := model.NewStore(), c.Framework.Framework
			defer store.Finalize()
			start := negative.Start{Pairs: 8, BatchSize: c.BatchSize, Dim: framework.Dim(f), Epochs: c.Epochs, Seed: c.Seed}
			must.Do(t, framework.DeclareAll(f, c.Use(), xla, store, start))
			must.Do(t, store.SetRNGStateFromSeed(7))
			lowered := func(devices int) string {
				c.Devices = devices
				s := NewStep(xla, store, c)
				defer s.Close()
				must.Do(t, s.open())
				compiled := must.Get(s.compile(0))(t)
				var of []shapes.Shape
				if s.split != nil {
					of = s.split.shapes(s.inputs)
				} else {
					for _, f := range s.inputs {
						of = append(of, f.Shape)
					}
				}
				must.Get(compiled.exec.Compile(of...))(t)
				return xla.Programs(t)[0]
			}
			whole, sharded := lowered(0), lowered(2)
			_, head, _ := strings.Cut(sharded, "func.func @main(")
			head, _, _ = strings.Cut(head, "\n")
			reads, tells, found := strings.Cut(head, ") -> ")
			if !found || !strings.Contains(sharded, "num_partitions = 2") {
				t.Fatalf("the program is not one for two devices:\n%.2000s", sharded)
			}
			fields := len(c.Inputs())
			for k, parameter := range strings.Split(reads, ", %") {
				divided := k < fields && c.Inputs()[k].Shape.Rank() > 0 && c.Inputs()[k].Shape.Dim(0) == c.BatchSize
				if got := strings.Contains(parameter, `[{"batch"}`); got != divided {
					t.Errorf("parameter %d of %d fields is in parts: %t, want %t: %s", k, fields, got, divided, parameter)
				}
			}
			if n := strings.Count(tells, "tensor<"); n == 0 || n != strings.Count(tells, "{ sdy.sharding = ") ||
				strings.Contains(tells, `"batch"`) {
				t.Errorf("not all of %d results are whole on both devices:\n%.2000s", n, tells)
			}
			if got, want := sharding.ReplaceAllString(sharded, ""), sharding.ReplaceAllString(whole, ""); got != want {
				g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
				for k := range min(len(g), len(w)) {
					if g[k] != w[k] {
						t.Fatalf("line %d of %d and %d differs:\n%.600s\n%.600s", k+1, len(g), len(w), g[k], w[k])
					}
				}
				t.Fatalf("got %d lines, want %d", len(g), len(w))
			}
		})
	}
}
