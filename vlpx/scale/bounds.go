package scale

import (
	"fmt"
	"reflect"
	"strings"

	"vlpx.internal/datasets/scenes"
)

// mostOfAll bounds every whole number that can be set but seeds. What is above the bounds here takes more memory or time than there is, and
// is refused before anything is allocated.
const mostOfAll = 1 << 24

// most bounds settings by their unit.
var most = map[string]int{
	"images": scenes.MostImages, "captions": 1000, "tokens": 1 << 13, "pixels": 1 << 12, "patches": 1 << 9, "layers": 1000,
	"blocks": 1000, "heads": 1 << 10, "numbers": 1 << 16, "vectors": 1 << 12, "regions": 1 << 12, "features": 1 << 16,
	"devices": 1 << 10, "mini-batches": 1 << 16, "operations": 100,
}

// most is the largest value of the setting.
func (x Settable) most() int {
	if strings.HasSuffix(x.Name, "batchsize") {
		return 1 << 16
	}
	if bound, ok := most[x.Unit]; ok {
		return bound
	}
	return mostOfAll
}

// bounded reports a whole number, also in a list, whose size is above a bound.
func bounded(v reflect.Value, most int) error {
	switch {
	case v.CanInt() && (v.Int() > int64(most) || v.Int() < -int64(most)):
		return fmt.Errorf("%d is too large; use at most %d", v.Int(), most)
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		if v.Len() > most {
			return fmt.Errorf("a list of %d is too long; use at most %d", v.Len(), most)
		}
		for i := range v.Len() {
			if err := bounded(v.Index(i), most); err != nil {
				return err
			}
		}
	}
	return nil
}
