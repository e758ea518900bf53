package scenegraph

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestAlign(t *testing.T) {
	g := must.Get(Align("Two men's dogs lying on the old bench, a dog beside them",
		"( dog , lay on , bench ) , ( dog , is , 2 ) , ( man , have , dog ) , ( bench , is , wooden )"))(t)
	// two men ' s dogs lying on the old bench , a dog beside them
	check(t, "aligned", g)
	for what, c := range map[string]struct{ got, want []int }{
		"dog": {g.Objects[0].At, []int{4}}, "bench": {g.Objects[1].At, []int{9}}, "man": {g.Objects[2].At, []int{1}},
		"2": {g.Attributes[0].At, []int{0}}, "wooden": {g.Attributes[1].At, nil},
		"lay on": {g.Relations[0].At, []int{5, 6}}, "have": {g.Relations[1].At, nil},
	} {
		if !slices.Equal(c.got, c.want) || c.got == nil != (c.want == nil) {
			t.Errorf("%s: got the positions %v, want %v", what, c.got, c.want)
		}
	}
	if got, want := g.String(),
		"( dog , lay on , bench ) , ( man , have , dog ) , ( dog , is , 2 ) , ( bench , is , wooden )"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	phrases := g.Phrases()
	want := "[{relation [5 6]} {attribute [0]} {object [4]} {object [9]} {object [1]}]"
	if got := fmt.Sprint(phrases); got != want {
		t.Errorf("got the phrases %s, want %s", got, want)
	}
}

// Two objects of the same word have a place each.
func TestAlignTwice(t *testing.T) {
	g := must.Get(Align("a red dog and a dog house", "( dog ) , ( dog house )"))(t)
	if !slices.Equal(g.Objects[0].At, []int{2}) || !slices.Equal(g.Objects[1].At, []int{5, 6}) {
		t.Errorf("got %+v", g.Objects)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	csv := "image_id,caption,scene_graph\n1,\"a dog, brown\",\"( dog , is , brown )\"\n2,a cat,( cat )\n"
	tsv := "a dog, brown\t( dog , is , brown )\n\na cat\t( cat )\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must.Get(w.Write([]byte(csv)))(t)
	must.Do(t, w.Close())
	for name, content := range map[string]string{"a.csv": csv, "a.txt": tsv, "a.csv.gz": packed.String()} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(content), 0o600))
		got, err := ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got) != 2 || got[0].Caption != "a dog, brown" || got[0].Graph.String() != "( dog , is , brown )" ||
			got[1].Text != "( cat )" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for content, want := range map[string]string{
		"":                             "scenegraph: f: no header: EOF",
		"caption,graph\n":              `scenegraph: f:1: the columns are ["caption" "graph"]; there must be caption and scene_graph`,
		"caption,scene_graph\na dog\n": "scenegraph: f: record on line 2: wrong number of fields",
		"caption,scene_graph\na dog,\"( a , b )\"":              `scenegraph: f:2: caption "a dog": the segment "a , b" has 2 names; a segment is`,
		"caption,scene_graph\nx,( y )\na,\"( a , b , c , d )\"": `scenegraph: f:3: caption "a": the segment "a , b , c , d" has 4 names`,
	} {
		if _, err := ReadCSV("f", strings.NewReader(content)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ReadCSV(%q): got %v, want %s", content, err, want)
		}
	}
	for content, want := range map[string]string{
		"a dog\t( dog )\na cat": `scenegraph: f:2: "a cat" has no tab; put one between the caption and its graph`,
		"a dog\t( a , b )":      `scenegraph: f:1: caption "a dog": the segment "a , b" has 2 names`,
	} {
		if _, err := ReadTSV("f", strings.NewReader(content)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ReadTSV(%q): got %v, want %s", content, err, want)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.csv")); err == nil {
		t.Error("no file: want an error")
	}
}

// What is read is a graph, and its text is read back to the same.
func FuzzAlign(f *testing.F) {
	f.Add("two dogs on grass", "( dog , on , grass ) , ( dog , is , 2 )")
	f.Add("a man ' s hat", "( man , have , hat ),(hat)")
	f.Add("", "( , , )")
	f.Add("a", "(is) , ( a , is , is )")
	f.Fuzz(func(t *testing.T, caption, graph string) {
		g, err := Align(caption, graph)
		if err != nil {
			return
		}
		check(t, graph, g)
		again, err := Align(caption, g.String())
		if err != nil {
			t.Fatalf("%q: its text %q is not read: %v", graph, g, err)
		}
		if got, want := Tuples(again.String(), nil), Tuples(graph, nil); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: got the tuples %q, want %q", graph, got, want)
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("caption,scene_graph\na dog,( dog )\n"))
	f.Add([]byte("scene_graph,caption\n\"( a , is , b )\",\"x\n\"\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		all, err := ReadCSV("fuzz", bytes.NewReader(content))
		if err != nil && !strings.HasPrefix(err.Error(), "scenegraph: fuzz") {
			t.Errorf("%q: the error %v does not name the file", content, err)
		}
		for _, c := range all {
			check(t, c.Text, c.Graph)
		}
	})
}
