package lab

import (
	"fmt"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/scale"
)

// List is the table of what there is: the artifacts of a paper by its name, or of all with an empty one; "methods", which Run and Compare
// take by name; "frameworks", which Options.Framework takes; "tasks" with what they measure; or "settings" at the usual scale (see
// Settings). Own methods are listed, too. It reports whether there is such a list.
func List(name string, own ...negative.Method) (tables.Table, bool) {
	switch name {
	case "methods":
		return methods(own), true
	case "frameworks":
		return frameworks(), true
	case "tasks":
		return tasks(), true
	case "settings":
		t, err := Settings(nil, Options{})
		return t, err == nil
	}
	shipped, err := paper.Shipped(catalogue.List())
	if err != nil {
		return tables.Table{}, false
	}
	t := tables.Table{
		Title: "What vlpx regenerates", Heading: "artifact",
		Note:    "Times are of three seeds with ONNX Runtime on two cores.",
		Columns: []tables.Column{{Name: "shows"}, {Name: "shipped"}, {Name: "at tiny"}, {Name: "at mini"}},
	}
	for _, a := range catalogue.List() {
		if name != "" && !strings.EqualFold(a.Paper(), name) {
			continue
		}
		runs, tiny, mini := 3*a.RunsASeed(), "", ""
		if runs > 0 && a.Status() != paper.NotYet {
			tiny, mini = paper.Cost("tiny", runs), paper.Cost("mini", runs)
		}
		t.Rows = append(t.Rows, words(a.ID, a.Title, shipped[a.ID].String(), tiny, mini))
	}
	return t, len(t.Rows) > 0
}

// words is a row of texts.
func words(name string, texts ...string) tables.Row {
	row := tables.Row{Name: name}
	for _, text := range texts {
		row.Cells = append(row.Cells, tables.Cell{{Text: text}})
	}
	return row
}

// methods has the parts of each method.
func methods(own []negative.Method) tables.Table {
	t := tables.Table{
		Title: "Methods",
		Note: "The parts are types of package negative; a dash is none. Needs: a reference model, trained first, fine-tuning, or the " +
			"relation.",
	}
	for _, role := range negative.Roles() {
		t.Columns = append(t.Columns, tables.Column{Name: role.Label})
	}
	t.Columns = append(t.Columns, tables.Column{Name: "needs"}, tables.Column{Name: "also called"}, tables.Column{Name: "source"})
	for _, method := range scale.Methods() {
		parts := partNames(method.Parts(scale.Scale{Epochs: 1}))
		t.Rows = append(t.Rows, words(method.Name, append(parts, method.Needs(), strings.Join(method.Aliases, ", "), method.Source)...))
	}
	for _, m := range own {
		t.Rows = append(t.Rows, words(m.Name, append(partNames(m), "", "", "this program")...))
	}
	return t
}

// partNames are the types of a method's parts, one a role; empty for none.
func partNames(m negative.Method) (all []string) {
	for _, role := range negative.Roles() {
		part := ""
		if of := role.Of(m.WithDefaults()); of != nil {
			part = strings.TrimPrefix(fmt.Sprintf("%T", of), "negative.")
		}
		all = append(all, part)
	}
	return all
}

// frameworks has what each framework is.
func frameworks() tables.Table {
	t := tables.Table{
		Title: "Frameworks", Heading: "framework",
		Note: "-framework and Options.Framework take one for all rows, with what its paper has; behind a method's name it is a setting, " +
			"\"GRIT-VLP, framework=clip\".",
		Columns: []tables.Column{{Name: "what"}, {Name: "losses"}},
	}
	for _, k := range scale.Frameworks() {
		t.Rows = append(t.Rows, words(k.Name, k.What, negative.Of(k.Losses()...).String()))
	}
	return t
}

// tasks has what each task measures.
func tasks() tables.Table {
	t := tables.Table{
		Title: "Tasks", Heading: "metric",
		Note: "vlpx eval -task and vlpx.Measure measure finished runs by a task. Of a framework that matches pairs retrieval re-ranks; " +
			"the same without has \"" + eval.CosinePrefix + "\" before its name. One that only scores pairs ranks by the scores of all.",
		Columns: []tables.Column{{Name: "task"}, {Name: "unit"}, {Name: "what"}},
	}
	for _, e := range eval.Registered() {
		if e.Name == "" {
			continue
		}
		for _, info := range e.Task.Metrics() {
			t.Rows = append(t.Rows, words(string(info.Metric), e.Name, info.Unit, info.What))
		}
	}
	return t
}
