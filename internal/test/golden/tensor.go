package golden

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// decode turns an encoded tensor, a nested list or a single number into a Tensor.
func decode(v any) (Tensor, error) {
	object, encoded := v.(map[string]any)
	if !encoded {
		return gather(v, extent(v))
	}
	data, ok := object["data"]
	if !ok {
		return Tensor{}, fmt.Errorf(`is an object without "data", want a tensor, a list or a number`)
	}
	sizes, ok := object["shape"].([]any)
	if !ok {
		return Tensor{}, fmt.Errorf(`is a tensor without "shape"`)
	}
	shape := make([]int, len(sizes))
	for axis, s := range sizes {
		n, err := number(s)
		if err != nil || n < 0 || n != math.Trunc(n) || n > math.MaxInt32 {
			return Tensor{}, fmt.Errorf("is a tensor whose axis %d has size %v", axis, s)
		}
		shape[axis] = int(n)
	}
	t, err := gather(data, shape)
	if err != nil {
		return Tensor{}, err
	}
	switch dtype := object["dtype"]; {
	case dtype == "int64" && t.Int == nil:
		return Tensor{}, fmt.Errorf("is a tensor of int64 that holds fractions")
	case dtype != "int64" && dtype != "float64":
		return Tensor{}, fmt.Errorf("is a tensor of dtype %v, want float64 or int64", dtype)
	}
	return t, nil
}

// extent is the shape of a nested list, read off its first elements.
func extent(v any) []int {
	shape := []int{}
	for {
		list, ok := v.([]any)
		if !ok {
			return shape
		}
		shape = append(shape, len(list))
		if len(list) == 0 {
			return shape
		}
		v = list[0]
	}
}

// gather flattens a nested list that must have the given shape.
func gather(v any, shape []int) (Tensor, error) {
	t := Tensor{Shape: slices.Clone(shape), Float: []float64{}, Int: []int64{}}
	var walk func(v any, shape []int) error
	walk = func(v any, shape []int) error {
		if len(shape) == 0 {
			return t.add(v)
		}
		list, ok := v.([]any)
		if !ok || len(list) != shape[0] {
			return fmt.Errorf("does not fill shape %v: %s of %d where %d belong", t.Shape, kind(v), len(list), shape[0])
		}
		for _, e := range list {
			if err := walk(e, shape[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(v, shape); err != nil {
		return Tensor{}, err
	}
	return t, nil
}

// add appends a number or a truth value. Int keeps whole numbers exactly and becomes nil at the first fraction.
func (t *Tensor) add(v any) error {
	f, err := number(v)
	if err != nil {
		return err
	}
	t.Float = append(t.Float, f)
	if t.Int == nil {
		return nil
	}
	if n, ok := v.(json.Number); ok {
		if whole, err := n.Int64(); err == nil {
			t.Int = append(t.Int, whole)
			return nil
		}
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		t.Int = nil
		return nil
	}
	t.Int = append(t.Int, int64(f))
	return nil
}

func number(v any) (float64, error) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return 0, fmt.Errorf("holds the number %s, which float64 cannot hold", v)
		}
		return f, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	default:
		return 0, fmt.Errorf("holds %s where a number belongs", kind(v))
	}
}
