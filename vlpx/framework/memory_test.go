package framework

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
)

// reading is a framework of which only the inputs are asked.
type reading struct{ Framework }

func (reading) Name() string { return "Reading" }
func (reading) Inputs(u Use) []field.Field {
	return []field.Field{field.Float32("pixels", u.Batch, u.Image, u.Image, 3)}
}

// A model that no memory holds is refused by its shapes, and so are mini-batches. A model with its moments takes three times its weights.
func TestFits(t *testing.T) {
	store := model.NewStore()
	store.Scope("/model").VariableWithShape("weights", shapes.Make(dtypes.Float32, 1<<16, 1<<16))
	small := Use{Batch: 2, Image: 8}
	must.Fail(t, fits(reading{}, small, store, 40<<30), "Reading of 4.29e+09 numbers takes 48 GiB with its moments", "smaller width")
	must.Do(t, fits(reading{}, small, store, 50<<30))
	must.Do(t, fits(reading{}, small, store, 0))
	must.Fail(t, fits(reading{}, Use{Batch: 1 << 10, Image: 1 << 10}, store, 50<<30), "mini-batches of 1024 take 12 GiB each")
}
