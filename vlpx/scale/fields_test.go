package scale_test

import (
	"reflect"
	"strings"
	"testing"

	_ "vlpx.internal/vlpx/framework/all"
	"vlpx.internal/vlpx/scale"
)

// Every field of a scale, and of what a framework has of its own, has a setting with a sentence, or a reason among NoSettings; and every
// setting has a field.
func TestSettingsAreTheFields(t *testing.T) {
	left := map[string]bool{}
	var walk func(prefix string, of reflect.Type)
	walk = func(prefix string, of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			name := prefix + strings.ToLower(f.Name)
			switch {
			case !f.IsExported():
			case f.Type.Kind() == reflect.Struct:
				walk(name+".", f.Type)
			case left[name]:
				t.Errorf("%s is there twice", name)
			default:
				left[name] = true
			}
		}
	}
	walk("", reflect.TypeFor[scale.Scale]())
	for _, k := range scale.Frameworks() {
		if k.Own != nil {
			walk("", reflect.TypeOf(k.Own("")))
		}
	}
	fields := len(left)
	names, says := map[string]bool{}, map[string]string{}
	for _, x := range scale.Settings() {
		if names[x.Name] || x.Name != scale.Plainly(x.Name) {
			t.Errorf("%s is there twice, or is not written as it is looked for", x.Name)
		}
		if other := says[x.Says]; other != "" || x.Says == "" || strings.HasSuffix(x.Says, ".") || len(x.Says) > 200 {
			t.Errorf("%s says %q, as %q does: want a sentence of its own, without a full stop", x.Name, x.Says, other)
		}
		names[x.Name], says[x.Says] = true, x.Name
		if !left[x.Path()] {
			t.Errorf("%s has no field %s, or has it twice", x.Name, x.Path())
		}
		delete(left, x.Path())
		x.Of(scale.Scale{}) // panics where there is none
	}
	for name, instead := range scale.NoSettings {
		if !left[name] {
			t.Errorf("%s is no field without a setting", name)
		}
		if delete(left, name); instead != "" && !names[instead] {
			t.Errorf("%s is said to be set by %s, which is no setting", name, instead)
		}
	}
	if len(left) > 0 || fields < 150 {
		t.Errorf("of %d fields have no sentence: %v", fields, left)
	}
}
