package plan

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// Variant is the row that a text names: a registered method, by its name or an alias, or one of one's own, and changes for this row alone,
// of the scale, of a field of one of the method's parts, or of a part, as in "GRIT-VLP, searchspace=960, epochs=5", "Mine, tauplus=.05" or
// "GRIT-VLP, contrast=Mine". The method's name and the changes are the row's name.
func Variant(text string, own []negative.Method) (Row, error) {
	var registry []Row
	for _, m := range scale.Methods() {
		registry = append(registry, MethodRow(m.Name))
	}
	known, err := Experiment{ID: "the list of methods", Rows: registry}.withOwn(own)
	if err != nil {
		return Row{}, err
	}
	pieces := pieces(text)
	for n := len(pieces); n > 0; n-- { // of one's own methods, a name may have a comma
		row, ok := known.row(strings.Join(pieces[:n], ","))
		if !ok {
			continue
		}
		for _, assignment := range pieces[n:] {
			if row, err = row.changed(strings.TrimSpace(assignment), own); err != nil {
				return Row{}, fmt.Errorf("%s: %w", text, err)
			}
		}
		return row, nil
	}
	var names []string
	for _, r := range known.Rows {
		names = append(names, r.Name)
	}
	return Row{}, fmt.Errorf("no method %q%s There are %s", pieces[0], scale.Suggest(pieces[0], names), strings.Join(names, "; "))
}

// pieces are what commas separate, but for those within brackets, as of a list.
func pieces(text string) (all []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("[{", c):
			depth++
		case strings.ContainsRune("]}", c):
			depth--
		case c == ',' && depth <= 0:
			all, begin = append(all, text[begin:i]), i+1
		}
	}
	return append(all, text[begin:])
}

// row is the experiment's row of a name, or of the registered method of that alias.
func (e Experiment) row(name string) (Row, bool) {
	called := func(name string) int {
		return slices.IndexFunc(e.Rows, func(r Row) bool { return strings.EqualFold(r.Name, name) })
	}
	i := called(strings.TrimSpace(name))
	if m, ok := scale.Named(name); ok && i < 0 {
		i = called(m.Name)
	}
	if i < 0 {
		return Row{}, false
	}
	return e.Rows[i], true
}
