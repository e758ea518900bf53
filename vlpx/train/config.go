package train

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Config is all that a training run depends on besides its data. It is plain data: its JSON is part of a run's identity.
type Config struct {
	Framework framework.Choice
	Method    negative.Method
	BatchSize int
	Epochs    int
	MaxLen    int // tokens a caption, with [CLS] and [SEP]
	Transform transform.Pipeline
	Optimiser AdamW
	LARS      LARS `json:",omitzero"` // the optimiser in the place of AdamW, which is zero then
	Schedule  Schedule
	Seed      uint64
	// Devices is how many devices of the engine share each mini-batch in equal parts; 0 for one. Losses and gradients are those of one
	// device but for rounding.
	Devices int `json:",omitempty"`
	// Chunk is how many pairs of a mini-batch are encoded at once, by cached gradients; 0 for all of them. Losses and gradients are those
	// of 0 but for rounding, and for dropout's draws.
	Chunk int `json:",omitempty"`
	// EMA is the decay a step of an exponential moving average of the weights, which is what is evaluated and what the run's model is; 0 for
	// the weights themselves. Training goes on by these.
	EMA float64 `json:",omitempty"`
	// Reference is the identity of the run whose model is the method's frozen reference; empty where it needs none.
	Reference string `json:",omitempty"`
	// Objectives are the losses that train the model; all that the framework has if it names none.
	Objectives negative.Objectives `json:",omitempty"`
	// Init is the identity of the run whose model this one starts from, as in fine-tuning; empty for first values by Seed.
	Init string `json:",omitempty"`
	// Look shows samplers that go by embeddings those of the model that the run starts from, before the first step: their mini-batches are
	// of the method from the first epoch on, which is uniform otherwise.
	Look bool `json:",omitempty"`
	// Language is the identity of the run whose language model is frozen in this one's; empty for none.
	Language string `json:",omitempty"`
	// Select is the metric of the evaluation after each epoch by which the best epoch's weights become the model, the first of equals;
	// empty for the last epoch's. Job.Lower says whether the lowest is the best.
	Select string `json:",omitempty"`
	// Patience is after how many epochs in a row without a better value of Select training ends; 0 for that of all epochs.
	Patience int `json:",omitempty"`
}

// optimiser is the one that the run has.
func (c Config) optimiser() interface {
	Validate() error
	Update(store *model.Store, loss, rate, hold *graph.Node) (norm *graph.Node)
	update(store *model.Store, by learned, rate, hold *graph.Node) (norm *graph.Node)
} {
	if c.LARS != (LARS{}) {
		return c.LARS
	}
	if c.Optimiser.LoRA > 0 {
		return lora{c.Optimiser, c.Seed}
	}
	return c.Optimiser
}

// Use is how the run uses its framework.
func (c Config) Use() framework.Use {
	return framework.Use{Method: c.Method, Objectives: c.Objectives, Batch: c.BatchSize, Image: c.Transform.Size, Tokens: c.MaxLen}
}

// Sees is a set as the framework sees it: without captions where it reads none, so that a pair, and what is kept of it, is an image.
func (c Config) Sees(set datasets.Set) datasets.Set {
	if framework.Reads(c.Framework.Framework, c.Use()) {
		return set
	}
	return datasets.Uncaptioned(set)
}

// Inputs are what a step reads: of the mini-batch, what the framework and the method declare, and the learning rate.
func (c Config) Inputs() []field.Field {
	return append(c.Framework.Inputs(c.Use()), field.Float32(field.Rate))
}

// Validate says the first thing that does not fit.
func (c Config) Validate() error {
	if c.Framework.Framework == nil {
		return fmt.Errorf("train: no framework; name one, such as ALBEF")
	}
	if err := c.Framework.Plain(); err != nil {
		return err
	}
	if err := c.optimiser().Validate(); err != nil {
		return err
	}
	if c.LARS != (LARS{}) && c.Optimiser != (AdamW{}) {
		return fmt.Errorf("train: LARS and AdamW; a run has one optimiser: leave AdamW's settings out, such as lora and layerdecay, or set " +
			"lars.trust, lars.momentum and lars.weightdecay to 0")
	}
	if err := c.Schedule.Validate(); err != nil {
		return err
	}
	if err := c.Method.Validate(); err != nil {
		return err
	}
	if needs := c.Method.NeedsReference(); needs != (c.Reference != "") {
		return fmt.Errorf("train: %s, which needs a reference model: %t, with the reference model %q; a method that needs one "+
			"gets it from a run of its own, others none", c.Method.Name, needs, c.Reference)
	}
	switch {
	case c.BatchSize < 2:
		return fmt.Errorf("train: a batch of %d has no negatives; set batchsize to at least 2", c.BatchSize)
	case c.Look && c.Init == "":
		return fmt.Errorf("train: %s looks at the embeddings of the model that it starts from, and starts from none", c.Method.Name)
	case c.Epochs < 1:
		return fmt.Errorf("train: %d epochs; use at least 1 (setting epochs)", c.Epochs)
	case !(c.EMA >= 0 && c.EMA < 1):
		return fmt.Errorf("train: an average of the weights with the decay %g; it lies in [0, 1), such as 0.999, and 0 takes none", c.EMA)
	case c.Patience < 0:
		return fmt.Errorf("train: a patience of %d epochs; use at least 1, and none to train all", c.Patience)
	case c.Patience > 0 && c.Select == "":
		return fmt.Errorf("train: patience=%d, and no metric that is to grow better; name one with select=METRIC", c.Patience)
	case c.Devices < 0 || c.Devices == 1:
		return fmt.Errorf("train: %d devices; name 2 or more, and none for one", c.Devices)
	case c.Devices > 1 && c.BatchSize%c.Devices != 0:
		return fmt.Errorf("train: a mini-batch of %d pairs in equal parts on %d devices; set batchsize to a multiple of %[2]d, or devices",
			c.BatchSize, c.Devices)
	}
	if err := framework.Check(c.Framework.Framework, c.Use()); err != nil {
		return err
	}
	if err := c.chunkable(); err != nil {
		return err
	}
	if err := c.makeable(); err != nil {
		return err
	}
	// The sizes of a sampler do not depend on how many pairs there are: one mini-batch of them reports.
	_, err := c.Method.Batches.Start(negative.Start{
		Pairs: c.BatchSize, BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: c.Epochs, Seed: c.Seed,
	})
	if err != nil {
		return fmt.Errorf("train: %s: %w", c.Method.Name, err)
	}
	return nil
}

// makeable says why a field that a step reads cannot be made.
func (c Config) makeable() error {
	for _, f := range c.Inputs() {
		if reals[f.Name] == nil && wholes[f.Name] == nil {
			return fmt.Errorf("train: %s reads %q, which nothing makes; there are %s", c.Framework.Name(), f.Name, fieldNames())
		}
		pixels := f.Shape.Rank() == 4
		want := c.Use().Field(f.Name).Shape
		switch {
		case f.Name == field.Answers && f.Shape.Rank() == 3: // as many as the framework says
			want = c.Use().Answers(f.Shape.Dim(1), f.Shape.Dim(2))[0].Shape
		case f.Name == field.AnswerWeights && f.Shape.Rank() == 2:
			want = c.Use().Answers(f.Shape.Dim(1), 1)[1].Shape
		case f.Name == field.PoolImages: // as its images, so that what is wrong with these is reported of them
			want = f.Shape
		case f.Name == field.Image || f.Name == field.View || f.Name == field.Other:
			if want = f.Shape; pixels {
				want = c.Use().Images(f.Name, c.Transform.Size, c.Transform.Size, 3).Shape
			}
		}
		switch {
		case !f.Shape.Equal(want):
			return fmt.Errorf("train: %s reads %q of shape %s, and what is made has %s; declare it so", c.Framework.Name(), f.Name,
				f.Shape, want)
		case f.Name == field.Image && !pixels && c.Transform != (transform.Pipeline{Size: c.Transform.Size}):
			return fmt.Errorf("train: a locked encoder sees each image as it is; take the augmentation away, or lock none")
		case f.Name == field.View && !pixels:
			return fmt.Errorf("train: %s reads a second view, and a locked encoder has one of each image; lock none", c.Framework.Name())
		}
	}
	return nil
}
