package train

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/engine/enginetest"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// What a sharded program has besides the other one's: its mesh of devices, and which axis of what lies on which.
var sharding = regexp.MustCompile(` attributes \{[^}]*\}|[ ]*sdy\.mesh .*\n| \{ sdy\.sharding = [^>]*> \}`)

// A step whose mini-batch is split over two devices, with the variables on both, is lowered, and is the very program of one device but for that
// split: so contrasts see the embeddings of all pairs, and losses and gradients are those of the whole. What gathers them XLA adds; nothing is run here.
func TestShardedStepOnXLA(t *testing.T) {
	xla := enginetest.Record(t)
	mesh, err := distributed.NewDeviceMesh([]int{2}, []string{"data"})
	if err != nil {
		t.Fatal(err)
	}
	distilled := smallest(t, negative.ALBEF(8))
	change(&distilled, withoutDropout) // GoMLX v0.28.8 forgets that the state of random numbers is on all devices
	for name, job := range map[string]Job{
		"ALBEF": distilled, "CLIP": onCLIP(t, scheduledByITC(), true),
		"SimCLR": onSimCLR(t, viewMethods()[1], false), "BLIP-2": onGenerative(t),
	} {
		t.Run(name, func(t *testing.T) {
			c := job.Config
			store, f := model.NewStore(), c.Framework.Framework
			defer store.Finalize()
			start := negative.Start{Pairs: 8, BatchSize: c.BatchSize, Dim: framework.Dim(f), Epochs: c.Epochs, Seed: c.Seed}
			if err := framework.DeclareAll(f, c.Use(), xla, store, start); err != nil {
				t.Fatal(err)
			}
			s := NewStep(xla, store, c)
			if err := s.open(); err != nil {
				t.Fatal(err)
			}
			lowered := func(mesh *distributed.DeviceMesh) string {
				exec, err := model.NewExec(xla, store, func(scope *model.Scope, in []*Node) []*Node { return s.build(&compiledStep{}, scope, in, 0) })
				if err != nil {
					t.Fatal(err)
				}
				defer exec.Finalize()
				var of []shapes.Shape
				var split []*distributed.ShardingSpec
				for _, x := range s.inputs {
					spec := distributed.BuildSpec(mesh)
					for axis := range x.Shape.Rank() {
						if axis == 0 && x.Shape.Dim(0) == c.BatchSize {
							spec = spec.S("data")
						} else {
							spec = spec.R()
						}
					}
					of, split = append(of, x.Shape), append(split, &distributed.ShardingSpec{})
					if mesh == nil {
						continue
					}
					if split[len(split)-1], err = spec.Done(); err != nil {
						t.Fatal(err)
					}
					of[len(of)-1] = split[len(split)-1].ShardShape(x.Shape)
				}
				if mesh != nil {
					exec.AutoSharding(mesh).WithInputShardingSpecs(split...).WithDeviceAssignment([]compute.DeviceNum{0, 1})
					of = append(of, of...) // those of each device
				}
				if _, err := exec.Compile(of...); err != nil {
					t.Fatal(err)
				}
				return xla.Programs(t)[0]
			}
			whole, sharded := lowered(nil), lowered(mesh)
			head, _, _ := strings.Cut(sharded, ") -> ")
			if !strings.Contains(sharded, "num_partitions = 2") || !strings.Contains(head, `[{"data"}`) || strings.Contains(head, `{"data"}]> }, %_`) {
				t.Errorf("the mini-batch is not split over two devices:\n%.2000s", head)
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
