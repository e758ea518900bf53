package train

import (
	"fmt"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Config is all that a training run depends on besides its data. It is plain data: its JSON is part of a run's identity.
type Config struct {
	Framework framework.ALBEF
	Method    negative.Method
	BatchSize int
	Epochs    int
	MaxLen    int // tokens a caption, with [CLS] and [SEP]
	Transform transform.Pipeline
	Optimiser AdamW
	Schedule  Schedule
	Seed      uint64
	// Reference is the identity of the run whose model is the method's frozen reference; empty where it needs none.
	Reference string `json:",omitempty"`
	// Objectives are the losses that train the model, ITC among them; all three if it names none.
	Objectives negative.Objectives `json:",omitzero"`
	// Init is the identity of the run whose model this one starts from, as in fine-tuning; empty for first values by Seed.
	Init string `json:",omitempty"`
	// Select is the metric of the evaluation after each epoch by which the best epoch's weights become the model, the higher the
	// better, the first of equals; empty for the last epoch's.
	Select string `json:",omitempty"`
}

// Validate tells the first thing that does not fit.
func (c Config) Validate() error {
	if err := c.Framework.Validate(); err != nil {
		return err
	}
	if err := c.Optimiser.Validate(); err != nil {
		return err
	}
	if err := c.Schedule.Validate(); err != nil {
		return err
	}
	if err := c.Method.Validate(); err != nil {
		return err
	}
	if needs := c.Method.NeedsReference(); needs != (c.Reference != "") {
		return fmt.Errorf("train: %s, which needs a reference model: %t, with the reference model %q; a method that needs one gets it from a run "+
			"of its own, others none", c.Method.Name, needs, c.Reference)
	}
	switch {
	case !c.objectives().ITC:
		return fmt.Errorf("train: training by %s alone; ITC picks the pairs of the others, so name it, too", c.Objectives)
	case c.BatchSize < 2:
		return fmt.Errorf("train: a batch of %d has no negatives; use at least 2", c.BatchSize)
	case c.Epochs < 1:
		return fmt.Errorf("train: %d epochs; use at least 1", c.Epochs)
	case c.MaxLen < 3 || c.MaxLen > c.Framework.Text.Positions:
		return fmt.Errorf("train: captions of %d tokens; the text encoder takes 3 to %d", c.MaxLen, c.Framework.Text.Positions)
	case c.Framework.Vision.Locked > 0 && c.Transform != (transform.Pipeline{Size: c.Transform.Size}):
		return fmt.Errorf("train: a locked encoder sees each image as it is; take the augmentation away, or lock none")
	case c.Transform.Size != c.Framework.Vision.Image:
		return fmt.Errorf("train: images of %d pixels for an encoder of %d", c.Transform.Size, c.Framework.Vision.Image)
	}
	// The sizes of a sampler do not depend on how many pairs there are: one mini-batch of them tells.
	_, err := c.Method.Batches.Start(negative.Start{
		Pairs: c.BatchSize, BatchSize: c.BatchSize, Dim: c.Framework.Embed, Epochs: c.Epochs, Seed: c.Seed,
	})
	if err != nil {
		return fmt.Errorf("train: %s: %w", c.Method.Name, err)
	}
	return nil
}

// objectives are the losses that train the model.
func (c Config) objectives() negative.Objectives {
	if c.Objectives == (negative.Objectives{}) {
		return negative.AllObjectives()
	}
	return c.Objectives
}
