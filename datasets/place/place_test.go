package place

import (
	"reflect"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestParse(t *testing.T) {
	for name, want := range map[string][]Place{
		"cc3m":       {{Dir: "cc3m"}},
		"a, b/{c,d}": {{Dir: "a"}, {Dir: "b/c"}, {Dir: "b/d"}},
		"a/{0..1}.tar,val=v{1,2}/{a,b}.tar": {{Dir: "a", Shards: "{0..1}.tar", Split: "train"},
			{Dir: "v1", Shards: "{a,b}.tar", Split: "val"}, {Dir: "v2", Shards: "{a,b}.tar", Split: "val"}},
		"0.tar,/1.tar":                        {{Dir: ".", Shards: "0.tar", Split: "train"}, {Dir: "/", Shards: "1.tar", Split: "train"}},
		"test=https://h/a/{0..1}.tar?key=a/b": {{Dir: "https://h/a", Shards: "{0..1}.tar", Split: "test", Query: "?key=a/b"}},
		"https://h/train-{0..1}.parquet,val=v/{a.parquet,b.parquet}": {{Dir: "https://h", Shards: "train-{0..1}.parquet", Split: "train"},
			{Dir: "v", Shards: "{a.parquet,b.parquet}", Split: "val"}},
		"a,sums=b/SUMS": {{Dir: "a"}, {Sums: "b/SUMS"}},
	} {
		got := must.Get(Parse(name))(t)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if again := must.Get(Parse(Name(got)))(t); !reflect.DeepEqual(again, want) {
			t.Errorf("%s: named %s it is %+v", name, Name(got), again)
		}
	}
}

func TestCalled(t *testing.T) {
	for want, p := range map[string]Place{
		"cc3m": {Dir: "/data/cc3m"}, "set": {Dir: "https://h/a/set", Shards: "0.tar"}, "h": {Dir: "https://h:80", Shards: "0.tar"},
		"cc": {Dir: "/data/cc/train", Shards: "0.tar"}, "g": {Dir: "https://g/val", Shards: "0.tar"},
		"a-b-c": {Dir: "https://h/x%2F../a%2C{b,c}", Shards: "0.tar"},
	} {
		if got := p.Called(); got != want {
			t.Errorf("%+v: got %s, want %s", p, got, want)
		}
	}
}

// Whatever is named is refused, or has places whose shards are listed.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"a,b/{0..1}.tar", "val=https://h/{a,b}/c.tar?x", "train={", "=,", "a=b/0.tar", "//0.tar", "x:///0.tar"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		all, err := Parse(name)
		for _, p := range all {
			if p.Sums != "" {
				continue
			}
			names, wrong := p.Names()
			if err != nil || wrong != nil || len(names) == 0 || p.Dir == "" || p.Shards == "" != (p.Split == "") {
				t.Errorf("%q has %+v, with shards %q (%v, %v)", name, p, names, err, wrong)
			}
		}
	})
}
