package lab

import (
	"fmt"
	"path/filepath"
	"strings"
)

// calls are the command line and the notebook's call that make an artifact again. Folders and files are named without their
// place, which is another one at the reader's.
func (o Options) calls(id string) (shell, cell string) {
	if o.Scale == "" {
		o.Scale = "mini"
	}
	if len(o.Seeds) == 0 {
		o.Seeds = []uint64{1, 2, 3}
	}
	shell = fmt.Sprintf("vlpx reproduce %s -scale %s -seeds %s", id, o.Scale, listed(o.Seeds, ","))
	fields := fmt.Sprintf("Scale: %q, Seeds: []uint64{%s}", o.Scale, listed(o.Seeds, ", "))
	add := func(flag, field, value string) {
		shell += fmt.Sprintf(" -%s %s", flag, quoted(value))
		fields += fmt.Sprintf(", %s: %q", field, value)
	}
	if o.Data != "" && o.Data != "scenes" {
		add("data", "Data", filepath.Base(o.Data))
	}
	if o.Data2 != "" {
		add("data2", "Data2", filepath.Base(o.Data2))
	}
	if o.Vocabulary != "" {
		add("vocab", "Vocabulary", filepath.Base(o.Vocabulary))
	}
	if len(o.Weights) > 0 {
		names := make([]string, len(o.Weights))
		for i, assignment := range o.Weights {
			part, name, _ := strings.Cut(assignment, "=")
			names[i] = part + "=" + filepath.Base(name)
		}
		shell += " -weights " + quoted(strings.Join(names, ","))
		fields += fmt.Sprintf(", Weights: %#v", names)
	}
	if o.Framework != "" {
		add("framework", "Framework", o.Framework)
	}
	if len(o.Methods) > 0 {
		shell += " -methods " + quoted(strings.Join(o.Methods, ","))
		fields += fmt.Sprintf(", Methods: %#v", o.Methods)
	}
	if len(o.Without) > 0 {
		shell += " -without " + quoted(strings.Join(o.Without, ","))
		fields += fmt.Sprintf(", Without: %#v", o.Without)
	}
	for _, set := range o.Set {
		shell += " -set " + quoted(set)
	}
	if len(o.Set) > 0 {
		fields += fmt.Sprintf(", Set: %#v", o.Set)
	}
	for _, own := range []struct { // their code is the reader's to have; the command knows none
		there bool
		field string
	}{{len(o.Own) > 0, "Own: own"}, {o.Model != nil, "Model: model"}, {len(o.Tasks) > 0, "Tasks: tasks"}} {
		if own.there {
			shell, fields = "", fields+", "+own.field
		}
	}
	return shell, fmt.Sprintf("vlpx.Reproduce(%q, vlpx.Options{%s})", id, fields)
}

// listed puts a separator between seeds.
func listed(seeds []uint64, separator string) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(seeds), "[]"), " ", separator)
}

// quoted is a word for a shell.
func quoted(word string) string {
	if strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/", r)
	}) < 0 && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
