package lab

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Settings is the table of settings: of all, or of those that names tell of, each a setting or the first word of several, such as
// "schedule". Values are those of the options' scale, with their framework and what they set. One setting alone is told in full. A name
// that is none is an error, which says what it may be.
func Settings(names []string, o Options) (tables.Table, error) {
	all := scale.Settings()
	var some []scale.Settable
	for _, name := range names {
		group := slices.DeleteFunc(slices.Clone(all), func(x scale.Settable) bool {
			return x.Group() != strings.ToLower(strings.TrimSuffix(name,
				"."))
		})
		if len(group) == 0 {
			x, err := scale.FindSetting(name)
			if err != nil {
				return tables.Table{}, err
			}
			group = []scale.Settable{x}
		}
		some = append(some, group...)
	}
	switch len(some) {
	case 0:
		return settingsTable(all, o)
	case 1:
		return settingTable(some[0], o)
	}
	return settingsTable(some, o)
}

// settingsTable has a line a setting.
func settingsTable(of []scale.Settable, o Options) (tables.Table, error) {
	s, err := o.scale()
	if err != nil {
		return tables.Table{}, err
	}
	at := "at " + s.Name
	if s.Framework != "" {
		at += ", " + s.Framework
	}
	t := tables.Table{
		Title: "Settings", Heading: "setting",
		Note: "Set one for all with -set epochs=40 or Options.Set, for a method alone behind its name, \"GRIT-VLP, searchspace=16\". " +
			"vlpx show settings epochs, or vlpx.Show(\"settings epochs\"), tells one in full: what else it is called, and its value at " +
			"every scale. A size that is derived from others is shown as it comes out. A field of a method's part is set behind the " +
			"method's name, \"MAFA, positives.high=.9\".",
		Columns: []tables.Column{{Name: at}, {Name: "unit"}, {Name: "what it is", Breaks: true}},
	}
	for _, x := range of {
		t.Rows = append(t.Rows, words(x.Name, x.Value(s), x.Unit, x.Says))
	}
	return t, nil
}

// settingTable tells one setting in full.
func settingTable(x scale.Settable, o Options) (tables.Table, error) {
	t := tables.Table{Title: "The setting " + x.Name, Heading: " ", Columns: []tables.Column{{Name: " ", Breaks: true}}}
	tell := func(name, text string) {
		if text != "" {
			t.Rows = append(t.Rows, words(name, text))
		}
	}
	tell("what it is", x.Says)
	tell("framework", x.Framework)
	tell("unit", x.Unit)
	tell("can be", strings.Join(slices.DeleteFunc(slices.Clone(x.Values), func(v string) bool { return v == "" }), ", "))
	tell("also", strings.Join(x.Also, ", "))
	for _, name := range scale.ScaleNames() {
		of := o
		of.Scale = name
		s, err := of.scale()
		if err != nil {
			return t, err
		}
		tell("at "+name, x.Value(s))
	}
	return t, nil
}

// scale is that of the options with what they set.
func (o Options) scale() (scale.Scale, error) {
	home, err := run.Home(o.Home)
	if err != nil {
		return scale.Scale{}, err
	}
	request, err := o.request(home)
	if err != nil {
		return scale.Scale{}, err
	}
	if request.Scale == "" {
		request.Scale = "mini"
	}
	s, err := request.Preset()
	if err != nil {
		return s, err
	}
	err = s.SetAll(request.Set)
	return s.Resolved(), err
}

// listedSettings is the table that "settings", or "settings" with names behind it, asks for, and whether it does.
func listedSettings(what string, o Options) (t tables.Table, asks bool, err error) {
	rest, asks := strings.CutPrefix(what, "settings")
	if !asks || rest != "" && rest[0] != ' ' {
		return t, false, nil
	}
	names := strings.Fields(rest)
	if _, err := scale.FindSetting(rest); err == nil { // such as "weight decay"
		names = []string{rest}
	}
	if t, err = Settings(names, o); err != nil {
		err = fmt.Errorf("settings: %w", err)
	}
	return t, true, err
}
