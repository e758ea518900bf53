package scale

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"vlpx.internal/datasets/scenes"
)

// span is what a number may be, both ends included.
type span struct{ least, most float64 }

// mostOfAll bounds every number that can be set but seeds. What is above the bounds here takes more memory or time than there is, or is no
// such thing, and is refused before anything is allocated.
const mostOfAll = 1 << 24

// anyNumber are those of a field of which nothing else is known.
var anyNumber = span{-mostOfAll, mostOfAll}

// mostInList bounds a list, of blocks, shares or quantiles.
const mostInList = 1000

// spans are those of settings by their unit. Of others they are from 0 to mostOfAll.
var spans = map[string]span{
	"images": {0, scenes.MostImages}, "captions": {0, 1000}, "tokens": {0, 1 << 13}, "pixels": {0, 1 << 12}, "patches": {0, 1 << 9},
	"layers": {0, 1000}, "blocks": {0, 1000}, "heads": {0, 1 << 10}, "numbers": {0, 1 << 16}, "vectors": {0, 1 << 12},
	"regions": {0, 1 << 12}, "features": {0, 1 << 16}, "devices": {0, 1 << 10}, "mini-batches": {0, 1 << 16}, "operations": {0, 100},
	"sentences": {0, 1000}, "maskings": {0, 1000}, "share": {0, 1}, "chance": {0, 1}, "quantile": {0, 1}, "of the circle": {0, 1},
	"of 10": {0, 10}, "of epochs": {0, 1000}, "of width": {0, 1000}, "a step": {0, 1000},
}

// span is what the setting may be.
func (x Settable) span() span {
	switch {
	case strings.HasSuffix(x.Name, "batchsize"):
		return span{0, 1 << 16}
	case x.Name == "scenes.noise": // below 0 for none
		return span{-mostOfAll, 1}
	case x.Name == "locked.side":
		return span{AllPatches, spans[x.Unit].most}
	}
	if bound, ok := spans[x.Unit]; ok {
		return bound
	}
	return span{0, mostOfAll}
}

// check reports a number, also in a list, that is out of the span.
func (s span) check(v reflect.Value) error {
	var n float64
	switch {
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		if v.Len() > mostInList {
			return fmt.Errorf("a list of %d is too long; use at most %d", v.Len(), mostInList)
		}
		for i := range v.Len() {
			if err := s.check(v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case v.CanInt():
		n = float64(v.Int())
	case v.CanFloat():
		n = v.Float()
	default:
		return nil
	}
	if n > s.most {
		return fmt.Errorf("%s is too large; use at most %s", plain(n), plain(s.most))
	}
	if n < s.least {
		return fmt.Errorf("%s is too small; use at least %s", plain(n), plain(s.least))
	}
	return nil
}

// plain is a number as one writes it.
func plain(n float64) string {
	if n > -1e18 && n < 1e18 && n == float64(int64(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}
