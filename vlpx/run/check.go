package run

import (
	"fmt"

	"vlpx.internal/datasets"
)

// Check tells why the run cannot be made on its data, opened: what would fail only after others were trained, or after hours.
func (r Run) Check(c datasets.Collection) error {
	if err := r.Train.Validate(); err != nil {
		return err
	}
	if len(r.Tasks) == 0 {
		return fmt.Errorf("run: %s has no task to be measured by; name one, such as retrieval for a framework that embeds captions",
			r.Train.Method.Name)
	}
	for _, check := range []func() error{r.seen, r.selectable} {
		if err := check(); err != nil {
			return err
		}
	}
	for _, split := range []string{"train", "val", "test"} {
		if _, err := c.Split(split); err != nil {
			return fmt.Errorf("run: training needs the splits train, val and test: %w", err)
		}
		if split == "train" {
			continue
		}
		set, err := r.Data.split(c, split)
		if err == nil {
			err = r.Tasks.Check(r.Train.Framework.Framework, set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
