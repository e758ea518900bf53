package weights

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/vlpx/disk"
)

// Tensors are published tensors by their names, in PyTorch's layouts.
type Tensors map[string]*tensors.Tensor

// Published gives variables the names and layouts that tables say: the inverse of File.Variables, with the tables' copies. A variable that
// no rule names is an error unless a table has a Rest.
func (v Values) Published(tables ...Table) (Tensors, error) {
	table := Join(tables...)
	rules := map[string][]Rule{} // by variable
	for _, rule := range slices.Concat(table.Rules, table.Copies) {
		rules[rule.Variable] = append(rules[rule.Variable], rule)
	}
	published := Tensors{}
	var unnamed []string
	for path, value := range v {
		pattern, number := path, ""
		if at := layerNumber.FindStringSubmatchIndex(path); at != nil {
			pattern, number = path[:at[2]]+"#"+path[at[3]:], path[at[2]:at[3]]
		}
		of := rules[path]
		if number != "" {
			of = slices.Concat(of, rules[pattern])
		}
		if len(of) == 0 {
			if table.Rest == "" || !strings.HasPrefix(path, table.Rest+"/") {
				unnamed = append(unnamed, path)
				continue
			}
			published[table.name(path)] = value
		}
		for _, rule := range of {
			parts, err := apart(value, len(rule.Tensors))
			for i := 0; err == nil && i < len(parts); i++ {
				if rule.Tensors[i] == "" {
					continue
				}
				published[strings.ReplaceAll(rule.Tensors[i], "#", number)], err = rule.Layout.theirs(parts[i])
			}
			if err != nil {
				return nil, fmt.Errorf("weights: variable %s: %w", path, err)
			}
		}
	}
	if len(unnamed) > 0 {
		slices.Sort(unnamed)
		return nil, fmt.Errorf("weights: no rule names the variables %s; add them to the family's table", strings.Join(unnamed, ", "))
	}
	return published, nil
}

// layerNumber finds the number of a variable's layer, for which # stands in a rule.
var layerNumber = regexp.MustCompile(`_(\d+)(?:/|$)`)

// own begins the name of a tensor that no published model has.
const own = "vlpx."

// name is that of a variable below Rest for which there is no rule.
func (t Table) name(path string) string {
	return own + strings.ReplaceAll(strings.TrimPrefix(path, t.Rest+"/"), "/", ".")
}

// path is the variable that name calls so.
func (t Table) path(name string) string {
	return t.Rest + "/" + strings.ReplaceAll(strings.TrimPrefix(name, own), ".", "/")
}

// Own are the names of tensors that no published model has, sorted.
func (t Tensors) Own() []string {
	var names []string
	for name := range t {
		if strings.HasPrefix(name, own) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Write writes a safetensors file, whole or not at all.
func (t Tensors) Write(path string) error {
	file, err := disk.NewPending(path, 0o644)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer file.Discard()
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err = t.Encode(buffered, nil); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.Place()
	}
	if err != nil {
		return fmt.Errorf("weights: writing %s: %w", path, err)
	}
	return nil
}

// Encode writes the format, the widest types first, so that all values are aligned. The metadata says that the layouts are PyTorch's, and
// what is given besides.
func (t Tensors) Encode(w io.Writer, metadata map[string]string) error {
	names := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(t[b].DType().Size(), t[a].DType().Size()), cmp.Compare(a, b))
	})
	var entries []Entry
	for _, name := range names {
		entry, err := Describe(name, t[name])
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	all := map[string]string{"format": "pt"}
	maps.Copy(all, metadata)
	header, err := Header(all, entries)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, name := range names {
		var failed error
		if err := t[name].ConstBytes(func(data []byte) { _, failed = w.Write(data) }); err != nil || failed != nil {
			return cmp.Or(err, failed)
		}
	}
	return nil
}
