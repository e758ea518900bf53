package scale

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Settable is a field of Scale, or of what a framework has of its own, that can be set, with what there is to know of it.
type Settable struct {
	Name string
	Unit string // of its values; empty where they have none
	Says string // what it is, a sentence without its subject
	// Values are those that a text can have; nil where it can have any.
	Values []string
	// Also are what the field calls it besides, which Set takes unless it is another setting's, too.
	Also []string
	// Framework is the one whose own setting it is; empty for a field of Scale.
	Framework string

	field string  // its name, where that is another one
	Zero  float64 // what a number of zero stands for, which is then no value that can be set; 0 for zero
}

// Brief is the setting in a sentence, with its unit.
func (x Settable) Brief() string {
	if x.Unit == "" {
		return x.Name + ": " + x.Says
	}
	return fmt.Sprintf("%s: %s (%s)", x.Name, x.Says, x.Unit)
}

// Group is the first word of a setting's name where that has several, else empty.
func (x Settable) Group() string {
	if group, _, dotted := strings.Cut(x.Name, "."); dotted {
		return group
	}
	return ""
}

// Value is the setting at a scale, as it is written.
func (x Settable) Value(s Scale) string {
	v := x.Usual(s)
	if v.Kind() == reflect.Float64 {
		return fmt.Sprintf("%.4g", v.Float())
	}
	return fmt.Sprint(v.Interface())
}

// Usual is its value at a scale; in the place of a zero what that stands for.
func (x Settable) Usual(s Scale) reflect.Value {
	if v := x.Of(s); x.Zero == 0 || !v.IsZero() {
		return v
	}
	return reflect.ValueOf(x.Zero)
}

// Of is its value at a scale.
func (x Settable) Of(s Scale) reflect.Value {
	v, ok := FieldOf(x.holder(s), x.path())
	if !ok {
		panic(fmt.Sprintf("scale: setting %s: %T has no such field", x.Name, x.holder(s)))
	}
	return v
}

// path is where its field stands in the holder.
func (x Settable) path() string { return cmp.Or(x.field, x.Name) }

// holder is the struct whose field it is: the scale, or what the framework has of its own.
func (x Settable) holder(s Scale) any {
	if x.Framework == "" {
		return s
	}
	return s.ownOf(registered[slices.Index(frameworkNames(), x.Framework)])
}

// set gives it the value that a text says; the error leaves the scale as it was.
func (x Settable) set(s *Scale, text string) error {
	if x.Values != nil && text != "" && !slices.Contains(x.Values, text) {
		return fmt.Errorf("%q is none of %s", text, strings.Join(slices.DeleteFunc(slices.Clone(x.Values),
			func(value string) bool { return value == "" }), ", "))
	}
	path := strings.Split(x.path(), ".")
	if x.Framework == "" {
		return setWithin(x.span(), reflect.ValueOf(s).Elem(), path, text)
	}
	holder := x.holder(*s)
	if err := setWithin(x.span(), reflect.ValueOf(&holder).Elem(), path, text); err != nil {
		return err
	}
	own := maps.Clone(s.own)
	if own == nil {
		own = map[string]any{}
	}
	own[x.Framework], s.own = holder, own
	return nil
}

// noSettings are fields of a scale that nobody sets, with the setting in whose place they stand; empty where there is none.
var noSettings = map[string]string{
	"name":                "",
	"scenes.captionnoise": "captionnoise",
	"views.size":          "image",
}

// elsewhere are words for what is asked for in another way than by a setting.
var elsewhere = map[string]string{
	"seed":  "seeds are asked for by -seeds 1,2,3, or Options.Seeds; the setting scenes.seed is that of the generated data",
	"seeds": "seeds are asked for by -seeds 1,2,3, or Options.Seeds; the setting scenes.seed is that of the generated data",
	"scale": "a scale is asked for by -scale tiny, or Options.Scale",
	"data":  "data is asked for by -data FOLDER, or Options.Data",
	"scheduler.rate": "schedule.rate is the learning rate, falcon.rate that of the policy which FALCON's scheduler learns; " +
		"write the one that is meant",
}

// Setting is the setting of that name, and whether there is one.
func Setting(name string) (Settable, bool) {
	all := Settings()
	if i := slices.IndexFunc(all, func(x Settable) bool { return x.Name == name }); i >= 0 {
		return all[i], true
	}
	return Settable{}, false
}

// FindSetting finds a setting by its name, by what the field calls it or by the last word of its name, as far as there is but one. An error
// names those that it may be, or the nearest there is.
func FindSetting(key string) (Settable, error) {
	name := strings.TrimPrefix(Plainly(key), "scale.")
	if x, ok := Setting(name); ok {
		return x, nil
	}
	if instead := noSettings[name]; instead != "" {
		return FindSetting(instead)
	}
	if said, ok := elsewhere[name]; ok {
		return Settable{}, fmt.Errorf("no setting %q: %s", key, said)
	}
	var may []Settable
	var names []string
	for _, x := range Settings() {
		if slices.Contains(x.Also, name) || Names(name, x.Name) {
			may = append(may, x)
		}
		names = append(append(names, x.Name), x.Also...)
	}
	if len(may) == 1 {
		return may[0], nil
	}
	const seeAll = "See them all with: vlpx show settings, or vlpx.Show(\"settings\") in a notebook"
	if len(may) > 1 {
		var said []string
		for _, x := range may {
			if len(may) > mostExplained {
				said = append(said, x.Name)
				continue
			}
			said = append(said, fmt.Sprintf("%s (%s)", x.Name, x.Says))
		}
		return Settable{}, fmt.Errorf("no setting %q; it may be %s or %s: write the one that is meant. %s", key,
			strings.Join(said[:len(said)-1], ", "), said[len(said)-1], seeAll)
	}
	suggestion := Suggest(name, names)
	if _, near, ok := strings.Cut(suggestion, `"`); ok { // an alias stands for the name
		if x, err := FindSetting(strings.TrimSuffix(near, `"?`)); err == nil {
			suggestion = fmt.Sprintf("; did you mean %q? %s.", x.Name, x.Brief())
		}
	}
	return Settable{}, fmt.Errorf("no setting %q%s %s", key, suggestion, seeAll)
}

// mostExplained is the number of settings that an error explains at most.
const mostExplained = 4
