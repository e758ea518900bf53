package judgements

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/export"
	"vlpx.internal/datasets/karpathy"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
)

func TestParse(t *testing.T) {
	const header = "\uFEFFrank,Split,image,caption,caption of,cosine,TRUE\r\n"
	got := must.Get(Parse(strings.NewReader(header + "1,train,a.png,\"a \"\"red\"\", disc\",b.png,.5, Yes\r\n2,train,a.png,x,c.png,.4,\r\n" +
		"3,test,\"a\nb\",x,c.png,,no\n4,test,d,x,c.png,,0\n")))(t)
	want := []Row{{2, "train", "a.png", `a "red", disc`, "b.png", true}, {4, "test", "a\nb", "x", "c.png", false},
		{6, "test", "d", "x", "c.png", false}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, c := range []struct{ text, want string }{
		{"", "no header"},
		{"split,image,caption,true\n", `no column "caption of"`},
		{header + "1,train,a.png,x,b.png,.5,maybe\n", `line 2: the column "true" says "maybe"; write yes or no`},
		{header + "1,train,a.png\n", "line 2: wrong number of fields"},
		{header + "1,train,a.png,\"x,b.png,.5,yes\n", "line 2: extraneous or missing"},
	} {
		must.Fail(t, must.Err(Parse(strings.NewReader(c.text))), c.want, "%q", c.text)
	}
}

// No text is a formula to a spreadsheet, and all are read back as they were.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"=HYPERLINK(\"x\")": "'=HYPERLINK(\"x\")", "+1": "'+1", "-a dog": "'-a dog", "@a": "'@a", "\ta": "'\ta", "'=a": "''=a",
		"'a'": "'a'", "'": "'", "": "", "a = b": "a = b", "été": "été",
	} {
		if got := Cell(text); got != want || uncell(got) != text {
			t.Errorf("%q: got %q and %q again, want %q", text, got, uncell(got), want)
		}
	}
}

// What Parse takes is what a table of the same rows says; whatever else there is is an error without a panic.
func FuzzParse(f *testing.F) {
	f.Add("split,image,caption,caption of,true\ntrain,a,b,c,yes\ntest,\"a\n\",\"b,\",c,0\n")
	f.Add("true,image,split,caption of,caption\n,,,,\n1,\"\"\"\",x,y,z\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		var again strings.Builder
		w := csv.NewWriter(&again)
		must.Do(t, w.Write(Columns()))
		for _, row := range rows {
			said := map[bool]string{true: "yes", false: "no"}[row.True]
			must.Do(t, w.Write([]string{Cell(row.Split), Cell(row.Image), Cell(row.Caption), Cell(row.Of), said}))
		}
		w.Flush()
		read, err := Parse(strings.NewReader(again.String()))
		if err != nil || len(read) != len(rows) {
			t.Fatalf("got %d rows (%v) of the %d of %q", len(read), err, len(rows), text)
		}
		for k, row := range read {
			// Package csv reads CR LF in quotes as LF.
			want, lines := rows[k], strings.NewReplacer("\r\n", "\n")
			want.Line, row.Line = 0, 0
			for _, s := range []*string{&want.Split, &want.Image, &want.Caption, &want.Of} {
				*s = lines.Replace(*s)
			}
			if row != want {
				t.Fatalf("row %d: got %+v, want %+v", k, row, want)
			}
		}
	})
}

// folder has scenes as files; lines are those of its judgements.
func folder(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	c := must.Get(scenes.New(scenes.Config{Train: 6, Val: 1, Test: 4, Captions: 2, Size: 16}.WithDefaults()))(t)
	must.Do(t, export.Write(t.Context(), dir, c))
	judge(t, dir, "judgements.csv", lines...)
	return dir
}

func judge(t *testing.T, dir, name string, lines ...string) {
	t.Helper()
	text := "split,image,caption,caption of,true\n" + strings.Join(lines, "\n") + "\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// Judgements are a relation where there was none, and go before one that there was; the hash is theirs, too.
func TestOver(t *testing.T) {
	dir := folder(t)
	before := must.Get(karpathy.Open(dir))(t)
	train, test := must.Get(before.Split("train"))(t), must.Get(before.Split("test"))(t)
	row := func(split string, set datasets.Set, image, of int, said string) string {
		return strings.Join([]string{split, set.Key(image), set.Captions(of)[0], set.Key(of), said}, ",")
	}
	pair := func(set datasets.Set, of int) (p int) {
		for i := range of {
			p += datasets.PairsOf(set, i)
		}
		return p
	}
	known := test.(datasets.Related).Relation()
	was, _ := known.Holds(0, pair(test, 1))
	other := map[bool]string{true: "no", false: "yes"}[was]
	judge(t, dir, "judgements.csv", row("train", train, 0, 1, "yes"), row("train", train, 2, 1, "no"), row("train", train, 3, 1, ""))
	judge(t, dir, "judgements-2.csv", row("test", test, 0, 1, other))
	over := must.Get(Over(before, dir))(t)
	if over.Hash() == before.Hash() || must.Get(Over(before, dir))(t).Hash() != over.Hash() {
		t.Error("the hash is not that of the data with the judgements")
	}
	if set := must.Get(over.Split("val"))(t); !reflect.DeepEqual(set, must.Get(before.Split("val"))(t)) {
		t.Error("a split without judgements is another one")
	}
	for _, c := range []struct {
		split        string
		image, pair  int
		holds, known bool
	}{
		{"train", 0, pair(train, 1), true, true}, {"train", 2, pair(train, 1), false, true}, {"train", 3, pair(train, 1), false, false},
		{"train", 1, pair(train, 1), true, true}, {"test", 0, pair(test, 1), !was, true},
	} {
		set := must.Get(over.Split(c.split))(t)
		holds, known := set.(datasets.Related).Relation().Holds(c.image, c.pair)
		if holds != c.holds || known != c.known {
			t.Errorf("%+v: got %v, %v", c, holds, known)
		}
	}
	benchmarked := must.Get(over.Split("test"))(t).(datasets.Related).Relation().(datasets.Benchmarked)
	if !reflect.DeepEqual(benchmarked.Answers(), known.(datasets.Benchmarked).Answers()) {
		t.Error("the benchmark's answers are others")
	}
	for _, c := range []struct{ line, want string }{
		{row("dev", train, 0, 1, "yes"), `line 2: scenes: no split "dev"`},
		{"train,no.png,x," + train.Key(1) + ",yes", `line 2: no image "no.png"`},
		{"train," + train.Key(1) + ",x,no.png,yes", `line 2: no image "no.png"`},
		{"train," + train.Key(0) + ",x," + train.Key(1) + ",yes", `has no caption "x"`},
		{row("train", train, 1, 1, "yes"), "itself; its own captions count as true"},
		{row("train", train, 0, 1, "yes") + "\n" + row("train", train, 0, 1, "no"), "line 3: "},
	} {
		dir := folder(t, c.line)
		must.Fail(t, must.Err(Over(must.Get(karpathy.Open(dir))(t), dir)), c.want, "%s", c.line)
	}
	plain := folder(t)
	must.Do(t, os.Remove(filepath.Join(plain, "judgements.csv")))
	if c := must.Get(Over(before, plain))(t); c != datasets.Collection(before) {
		t.Error("a folder without judgements is another collection")
	}
}
