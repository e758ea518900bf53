package train

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// What a sharded program has besides the other one's: its mesh of devices, and which axis of what lies on which.
var sharding = regexp.MustCompile(` attributes \{[^}]*\}|[ ]*sdy\.mesh .*\n| \{ sdy\.sharding = [^>]*> \}`)

// onlyLaidOut compares a program for one device with that for two: but for the layout they are the same. Inputs with so many rows are in
// two parts, and all else is on both.
func onlyLaidOut(t *testing.T, whole, sharded string, inputs []shapes.Shape, rows int) {
	t.Helper()
	_, head, _ := strings.Cut(sharded, "func.func @main(")
	head, _, _ = strings.Cut(head, "\n")
	reads, tells, found := strings.Cut(head, ") -> ")
	if !found || !strings.Contains(sharded, "num_partitions = 2") {
		t.Fatalf("the program is not one for two devices:\n%.2000s", sharded)
	}
	for k, parameter := range strings.Split(reads, ", %") {
		divided := k < len(inputs) && inputs[k].Rank() > 0 && inputs[k].Dim(0) == rows
		if got := strings.Contains(parameter, `[{"batch"}`); got != divided {
			t.Errorf("parameter %d of %d inputs is in parts: %t, want %t: %s", k, len(inputs), got, divided, parameter)
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
}

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
				if s.layout != nil {
					of = s.layout.parts()
				} else {
					for _, f := range s.inputs {
						of = append(of, f.Shape)
					}
				}
				must.Get(compiled.exec.Compile(of...))(t)
				return xla.Programs(t)[0]
			}
			whole, sharded := lowered(0), lowered(2)
			var inputs []shapes.Shape
			for _, f := range c.Inputs() {
				inputs = append(inputs, f.Shape)
			}
			onlyLaidOut(t, whole, sharded, inputs, c.BatchSize)
		})
	}
}

// Each graph of a step in chunks is lowered for two devices likewise: each device encodes its part of a chunk, and the losses see the
// embeddings of all pairs.
func TestShardedChunksOnXLA(t *testing.T) {
	xla := enginetest.Record(t)
	for name, job := range map[string]Job{
		"CLIP": onCLIP(t, scheduledByITC(), false), "CLIP that distils": onCLIP(t, negative.ALBEF(8), false),
		"ALBEF": smallest(t, negative.Plain()), "SimCLR": onSimCLR(t, viewMethods()[1], true), "BLIP-2": onBLIP2(t, negative.Plain(), 0.1),
	} {
		t.Run(name, func(t *testing.T) {
			job = inChunks(t, job, 2)
			p := must.Get(NewProbe(job, func(...*Node) (float64, error) { return 0, nil }))(t)
			defer p.Close()
			in := must.Get(p.Load(t.Context()))(t)
			defer in.Release()
			out := must.Get(p.Run(Whole, in))(t)
			out.Release()
			made := p.steps[Whole].chunks.graphs // of which shapes are known
			c := job.Config
			store, f := model.NewStore(), c.Framework.Framework
			defer store.Finalize()
			start := negative.Start{Pairs: 8, BatchSize: c.BatchSize, Dim: framework.Dim(f), Epochs: c.Epochs, Seed: c.Seed}
			must.Do(t, framework.DeclareAll(f, c.Use(), xla, store, start))
			must.Do(t, store.SetRNGStateFromSeed(7))
			lowered := func(devices int) (all map[string]string) {
				c.Devices, all = devices, map[string]string{}
				s := NewStep(xla, store, c)
				s.inputs = p.trainer.step.inputs
				must.Do(t, s.open())
				chunks := newChunks(s)
				defer chunks.close()
				for _, one := range []struct {
					name  string
					rows  int
					build builder
					of    []field.Field
				}{
					{preparing, c.BatchSize, chunks.prepare, chunks.scalars()}, {consulting, c.Chunk, chunks.consult, chunks.part},
					{encoding, c.Chunk, chunks.encode, chunks.part}, {assessing, c.BatchSize, chunks.assess, chunks.whole},
					{returning, c.Chunk, chunks.back, chunks.part}, {updating, c.BatchSize, chunks.update, chunks.scalars()},
					{looking, c.Chunk, chunks.look, chunks.part}, {judging, c.BatchSize, chunks.reassess, chunks.whole},
				} {
					if made[one.name] == nil {
						continue
					}
					g := must.Get(chunks.prepared(one.name, one.rows, one.build, one.of, made[one.name].shapes))(t)
					of := g.shapes
					if g.layout != nil {
						of = g.layout.parts()
					}
					must.Get(g.exec.Compile(of...))(t)
					all[one.name] = xla.Programs(t)[0]
				}
				return all
			}
			whole, sharded := lowered(0), lowered(2)
			for name, program := range sharded {
				rows := c.BatchSize
				if slices.Contains([]string{consulting, encoding, returning, looking}, name) {
					rows = c.Chunk
				}
				onlyLaidOut(t, whole[name], program, made[name].shapes, rows)
			}
			if len(sharded) < 4 || len(sharded) != len(made) {
				t.Errorf("lowered %d of %d graphs", len(sharded), len(made))
			}
		})
	}
}
