package negative

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// WindowScope is where windows lie in a store. A checkpoint has no need of them.
const WindowScope = "/window"

// Windows let a graph see of the numbers of all samples those of its mini-batch alone: each variable of samples, [samples], gets one beside
// it, [batch], which [SamplesOf] takes in its place. The whole stays on the host and no graph reads it: an engine that copies what a call
// changes would copy all of it in each step.
type Windows struct {
	batch int
	all   []window
}

// window is a variable of samples, and what a graph sees of it.
type window struct{ whole, seen *model.Variable }

// OpenWindows makes windows of the variables of samples that a store has. Graphs that are built from then on see these.
func OpenWindows(store *model.Store, batch int) (*Windows, error) {
	w := &Windows{batch: batch}
	for v := range store.IterVariables() {
		if v.Shape().Size() > 1 && strings.Contains(v.Path(), "/"+samplesScope+"/") && !strings.HasPrefix(v.Path(), WindowScope) {
			w.all = append(w.all, window{whole: v})
		}
	}
	for i, v := range w.all {
		seen, err := store.CreateVariable(WindowScope+v.whole.Path(), tensors.FromShape(shapes.Make(v.whole.DType(), batch)))
		if err != nil {
			return nil, fmt.Errorf("negative: a window of %s: %w", v.whole.Path(), err)
		}
		seen.SetTrainable(false)
		w.all[i].seen = seen
	}
	return w, nil
}

// Any reports whether there are any windows.
func (w *Windows) Any() bool { return len(w.all) > 0 }

// Load shows the samples of a mini-batch, before a graph reads them.
func (w *Windows) Load(index []int32) error {
	return w.each(index, func(v window, whole *tensors.Tensor, size int) error {
		seen := tensors.FromShape(v.seen.Shape())
		err := both(seen, whole, func(of, all []byte) {
			for i, k := range index {
				copy(of[i*size:(i+1)*size], all[int(k)*size:])
			}
		})
		if err != nil {
			return err
		}
		return v.seen.SetValue(seen)
	})
}

// Keep puts what a graph has made of the samples of a mini-batch back among all.
func (w *Windows) Keep(index []int32) error {
	return w.each(index, func(v window, whole *tensors.Tensor, size int) error {
		seen, err := v.seen.Value()
		if err != nil {
			return err
		}
		return both(whole, seen, func(all, of []byte) {
			for i, k := range index {
				copy(all[int(k)*size:(int(k)+1)*size], of[i*size:])
			}
		})
	})
}

// each does something for each window, with the whole and the bytes of a number.
func (w *Windows) each(index []int32, do func(v window, whole *tensors.Tensor, size int) error) error {
	if len(index) != w.batch {
		return fmt.Errorf("negative: windows of %d samples for %d", w.batch, len(index))
	}
	for _, v := range w.all {
		for _, k := range index {
			if k < 0 || int(k) >= v.whole.Shape().Size() {
				return fmt.Errorf("negative: sample %d, and %s has %d", k, v.whole.Path(), v.whole.Shape().Size())
			}
		}
		whole, err := v.whole.Value()
		if err == nil {
			err = do(v, whole, v.whole.DType().Size())
		}
		if err != nil {
			return fmt.Errorf("negative: the window of %s: %w", v.whole.Path(), err)
		}
	}
	return nil
}

// both gives access to the bytes of a tensor to change and of one to read.
func both(to, from *tensors.Tensor, do func(to, from []byte)) error {
	var failed error
	err := to.MutableBytes(func(to []byte) {
		failed = from.ConstBytes(func(from []byte) { do(to, from) })
	})
	if err == nil {
		err = failed
	}
	return err
}
