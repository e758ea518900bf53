package golden

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Tensor is an array in row-major order.
type Tensor struct {
	Shape []int     // sizes of the axes; empty for a scalar
	Float []float64 // the values, one for each cell
	Int   []int64   // the same values when all of them are whole numbers (indices, labels, masks), else nil
}

// Has reports whether the file has a value at the path. A null counts as none.
func (c Case) Has(path ...string) bool {
	v, err := c.find(path)
	return err == nil && v != nil
}

// Len returns the number of elements of the list at the path, such as the steps of a case of several steps.
func (c Case) Len(path ...string) int {
	v, err := c.find(path)
	if err == nil {
		if list, ok := v.([]any); ok {
			return len(list)
		}
		err = fmt.Errorf("is %s, want a list", kind(v))
	}
	c.record(path, err)
	return 0
}

// Keys returns the sorted names below the path, such as the gradients a case gives.
func (c Case) Keys(path ...string) []string {
	v, err := c.find(path)
	if err == nil {
		if object, ok := v.(map[string]any); ok {
			keys := make([]string, 0, len(object))
			for k := range object {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			return keys
		}
		err = fmt.Errorf("is %s, want an object", kind(v))
	}
	c.record(path, err)
	return nil
}

// Text returns the string at the path.
func (c Case) Text(path ...string) string {
	v, err := c.find(path)
	if err == nil {
		if s, ok := v.(string); ok {
			return s
		}
		err = fmt.Errorf("is %s, want a string", kind(v))
	}
	c.record(path, err)
	return ""
}

// Float returns the number at the path: a JSON number, a truth value (1 or 0), or a tensor of one element.
func (c Case) Float(path ...string) float64 {
	t := c.Tensor(path...)
	if len(t.Float) != 1 {
		if t.Shape != nil {
			c.record(path, fmt.Errorf("is a tensor of shape %v, want one number", t.Shape))
		}
		return 0
	}
	return t.Float[0]
}

// Int returns the whole number at the path, found as [Case.Float] finds it.
func (c Case) Int(path ...string) int {
	f := c.Float(path...)
	if f != float64(int(f)) {
		c.record(path, fmt.Errorf("is %v, want a whole number", f))
		return 0
	}
	return int(f)
}

// Bool reports whether the number or truth value at the path is other than zero.
func (c Case) Bool(path ...string) bool { return c.Float(path...) != 0 }

// Ints returns the whole numbers of the tensor or list at the path, in row-major order.
func (c Case) Ints(path ...string) []int {
	t := c.Tensor(path...)
	if t.Int == nil {
		if t.Float != nil {
			c.record(path, fmt.Errorf("holds fractions, want whole numbers"))
		}
		return nil
	}
	ints := make([]int, len(t.Int))
	for i, v := range t.Int {
		ints[i] = int(v)
	}
	return ints
}

// Matrix returns the rows of the rank-2 tensor or list of lists at the path.
func (c Case) Matrix(path ...string) [][]float64 {
	t := c.Tensor(path...)
	if len(t.Shape) != 2 {
		c.record(path, fmt.Errorf("has shape %v, want a matrix", t.Shape))
		return nil
	}
	rows := make([][]float64, t.Shape[0])
	for i := range rows {
		rows[i] = t.Float[i*t.Shape[1] : (i+1)*t.Shape[1]]
	}
	return rows
}

// Tensor returns the array at the path: an encoded tensor, a list nested to any depth, or a single number.
func (c Case) Tensor(path ...string) Tensor {
	v, err := c.find(path)
	if err != nil {
		c.record(path, err)
		return Tensor{}
	}
	t, err := decode(v)
	if err != nil {
		c.record(path, err)
		return Tensor{}
	}
	return t
}

// find walks from the top of the file to the value at the path.
func (c Case) find(path []string) (any, error) {
	at := c.root
	for i, step := range path {
		switch node := at.(type) {
		case map[string]any:
			next, ok := node[step]
			if !ok {
				return nil, fmt.Errorf("%s has no %q", shown(path[:i]), step)
			}
			at = next
		case []any:
			k, err := strconv.Atoi(step)
			if err != nil || k < 0 || k >= len(node) {
				return nil, fmt.Errorf("%s is a list of %d, it has no element %q", shown(path[:i]), len(node), step)
			}
			at = node[k]
		default:
			return nil, fmt.Errorf("%s is %s, it has no %q", shown(path[:i]), kind(at), step)
		}
	}
	return at, nil
}

func (c Case) record(path []string, err error) {
	if c.first != nil && *c.first == nil {
		*c.first = fmt.Errorf("golden: %s: %s: %w", c.File, shown(path), err)
	}
}

func shown(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
