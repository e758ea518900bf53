package run

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// onScenes is a run on scenes that has no configuration of training yet, and the size of its vocabulary.
func onScenes(t *testing.T, c scenes.Config, rerank int) (r Run, vocab int) {
	t.Helper()
	data := must.Get(ScenesData(c))(t)
	r = Run{Data: data, Vocabulary: Vocabulary{MinCount: 1, MaxSize: 200}, Tasks: eval.Tasks{eval.Retrieval{Rerank: rerank}}}
	collection := must.Get(data.Open())(t)
	tokenizer := must.Get(r.Vocabulary.Tokenizer(collection))(t)
	return r, tokenizer.Size()
}

// smallest is a run of a second: 16 generated images, mini-batches of eight, two epochs.
func smallest(t *testing.T) Run {
	t.Helper()
	r, vocab := onScenes(t, scenes.Config{Train: 16, Val: 4, Test: 4, Captions: 2, Size: 16}, 2)
	r.Train = train.Config{
		Framework: framework.Choice{Framework: albef.Model{
			Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16},
			Text:   encoder.BERT{Vocab: vocab, Positions: 12, Width: 8, Heads: 2, MLP: 16, Layers: 1, Fusion: 1},
			Embed:  6,
		}},
		Method: negative.GRITVLP(8, 16), BatchSize: 8, Epochs: 2, MaxLen: 10,
		Transform: transform.Pipeline{Size: 16},
		Optimiser: train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
		Schedule:  train.Schedule{Warmup: 1e-4, Rate: 1e-3, Min: 1e-4, Units: 3, Unit: 2, Epochs: 2},
		Seed:      1,
	}
	return r
}

// model is a run's ALBEF.
func model(r Run) albef.Model { return r.Train.Framework.Framework.(albef.Model) }

// change changes it.
func change(r *Run, how func(*albef.Model)) {
	a := model(*r)
	how(&a)
	r.Train.Framework.Framework = a
}

// bump changes every number, text and truth value below v in turn, fills what is nil or empty, calls changed, and puts it back. A nil
// interface is left: what goes there is told by another run.
func bump(v reflect.Value, path string, changed func(path string)) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			bump(v.Field(i), path+"."+v.Type().Field(i).Name, changed)
		}
		return
	case reflect.Pointer:
		if !v.IsNil() {
			bump(v.Elem(), path, changed)
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64, reflect.Float32:
		v.SetFloat(v.Float() + 0.125)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		// a part of the method: change what it holds
		part := reflect.New(v.Elem().Type()).Elem()
		part.Set(v.Elem())
		bump(part, path+"("+part.Type().Name()+")", func(path string) {
			v.Set(part)
			changed(path)
		})
		v.Set(old)
		return
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			bump(v.Index(i), fmt.Sprintf("%s[%d]", path, i), changed)
		}
		if v.Len() > 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map: // parts of roles that a program registers, see TestToyRole
		return
	default:
		panic(fmt.Sprintf("%s is a %s, which this test does not know how to change", path, v.Kind()))
	}
	changed(path)
	v.Set(old)
}

// Every field of a run is part of its identity, but where its files lie, how its method is called, and the runs that it needs,
// which are there by their identities.
func TestEveryFieldIsPartOfTheIdentity(t *testing.T) {
	r := smallest(t)
	id := r.ID()
	if again := smallest(t); again.ID() != id || len(id) != 16 {
		t.Errorf("got %s and %s for the same run, want one of 16 digits", id, again.ID())
	}
	seen, outside := map[string]string{id: "the run itself"}, []string{}
	bump(reflect.ValueOf(&r).Elem(), "Run", func(path string) {
		got := r.ID()
		if got == id {
			outside = append(outside, path)
		} else if other, ok := seen[got]; ok {
			t.Errorf("%s gives the identity of %s", path, other)
		}
		seen[got] = path
	})
	if want := []string{"Run.Data.Dir", "Run.Data.GraphsFile", "Run.Vocabulary.File", "Run.Train.Method.Name", "Run.Encoder",
		"Run.Language", "Run.LockedBytes", "Run.Reference", "Run.Init", "Run.Warm", "Run.Miner"}; !reflect.DeepEqual(outside, want) {
		t.Errorf("got %v outside the identity, want %v", outside, want)
	}
	if r.ID() != id {
		t.Fatal("the run was not put back")
	}
	r.Train.Method.Contrast = nil
	if _, ok := seen[r.ID()]; ok {
		t.Error("another contrast has the identity of another change")
	}
	if len(seen) < 40 {
		t.Errorf("only %d fields were changed", len(seen))
	}
}

// everyPart has every part that a method of package negative can have, filled where zero means a default.
func everyPart() map[string][]any {
	regulated := negative.Regulated{Epochs: 2}
	return map[string][]any{
		"Start": {negative.Uniform{}, negative.Grouped{}, negative.FixedQuantile{}, negative.Progressive{},
			negative.Streamed{}, negative.Scheduled{}, negative.Scheduled{Probe: []float64{0.5, 1}}},
		"ITC": {negative.InfoNCE{}, negative.Consistency{}, negative.Smoothed{}, negative.Distilled{}, negative.HNNCE{}, negative.SigLIP{},
			negative.Debiased{}, regulated, negative.SelfRegulated{},
			negative.Pruned{Weights: regulated}, negative.SogCLR{}, negative.ISogCLR{}, negative.FastCLIP{}},
		"Pairs":   {negative.Hardest{}, negative.Sampled{}, negative.Retrieved{}},
		"Connect": {negative.ECM{}, negative.ECM{Use: negative.Of(negative.ITM)}},
		"Find":    {negative.Thresholds{}, negative.BatchQuantile{}, negative.Cancellation{}, negative.Exact{}},
		"Write":   {negative.TAGS{}},
	}
}

// Every field of every part of a method is part of the identity.
func TestEveryFieldOfEveryPartIsPartOfTheIdentity(t *testing.T) {
	ids := map[string]string{}
	for role, parts := range everyPart() {
		for _, part := range parts {
			r := smallest(t)
			switch part := part.(type) {
			case negative.Batches:
				r.Train.Method.Batches = part
			case negative.Contrast:
				r.Train.Method.Contrast = part
			case negative.Matching:
				r.Train.Method.Matching = part
			case negative.Positives:
				r.Train.Method.Positives = part
			case negative.LeftOut:
				r.Train.Method.LeftOut = part
			case negative.Writing:
				r.Train.Method.Writing = part
			}
			id, seen := r.ID(), map[string]string{}
			bump(reflect.ValueOf(&r.Train.Method).Elem(), "Method", func(path string) {
				got := r.ID()
				if got == id && path != "Method.Name" {
					t.Errorf("%s %+v: %s is no part of the identity", role, part, path)
				}
				if other, ok := seen[got]; ok {
					t.Errorf("%s %+v: %s gives the identity of %s", role, part, path, other)
				}
				seen[got] = path
			})
			if r.ID() != id {
				t.Fatalf("%s %+v was not put back", role, part)
			}
			what := fmt.Sprintf("%T%+v", part, part)
			if other, ok := ids[id]; ok {
				t.Errorf("%s has the identity of %s", what, other)
			}
			ids[id] = what
		}
	}
}

// A part that package negative gets must be tried, too: each has a method that no other type has.
func TestEveryPartIsTried(t *testing.T) {
	sources, err := filepath.Glob("../negative/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%d sources of package negative: %v", len(sources), err)
	}
	tried := map[string]bool{}
	for role, parts := range everyPart() {
		for _, part := range parts {
			tried[role+" "+reflect.TypeOf(part).Name()] = true
		}
	}
	found := 0
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		for _, d := range file.Decls {
			method, ok := d.(*ast.FuncDecl)
			if !ok || method.Recv == nil || everyPart()[method.Name.Name] == nil {
				continue
			}
			of, ok := method.Recv.List[0].Type.(*ast.Ident)
			if !ok || !of.IsExported() {
				continue
			}
			found++
			if !tried[method.Name.Name+" "+of.Name] {
				t.Errorf("%s: everyPart has no %s", name, of.Name)
			}
		}
	}
	if found < 16 {
		t.Errorf("found %d parts in package negative", found)
	}
}

// The kind of a method's part is part of the identity, even where two kinds have the same fields.
func TestKindsOfPartsHaveTheirOwnIdentity(t *testing.T) {
	one, other := smallest(t), smallest(t)
	one.Train.Method.Matching, other.Train.Method.Matching = negative.Hardest{}, negative.Sampled{}
	if one.ID() == other.ID() {
		t.Error("two ways of matching have one identity")
	}
}

func TestHome(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("VLPX_HOME", "")
	for _, c := range []struct{ flag, env, want string }{
		{"", "", filepath.Join(cache, "vlpx")}, {"", "/env", "/env"}, {"/flag", "/env", "/flag"},
	} {
		t.Setenv("VLPX_HOME", c.env)
		if got, err := Home(c.flag); err != nil || (filepath.IsAbs(cache) && got != c.want) {
			t.Errorf("flag %q, VLPX_HOME %q: got %q (%v), want %q", c.flag, c.env, got, err, c.want)
		}
	}
}

func TestVocabularyFileOfAnotherKind(t *testing.T) {
	must.Fail(t, must.Err((Vocabulary{File: "words"}).Tokenizer(nil)), "vocab.txt")
}

// CLIP's list of merges is known by its name.
func TestVocabularyOfMerges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bpe_simple_vocab_16e6.txt")
	must.Do(t, os.WriteFile(path, []byte("#version: 0.2\nl o\nlo w</w>\n"), 0o644))
	tokenizer, err := Vocabulary{File: path}.Tokenizer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tokenizer.Size(), 512+2+2; got != want {
		t.Errorf("ids: got %d, want %d", got, want)
	}
	if tokenizer, err = (Vocabulary{File: "../framework/gpt/testdata/tiny/merges.txt"}).Tokenizer(nil); err != nil ||
		tokenizer.Size() != 285 {
		t.Errorf("GPT-2's with its vocab.json: %v", err)
	}
	must.Fail(t, must.Err((Vocabulary{File: "merges.gz"}).Tokenizer(nil)), "bpe_simple_vocab", "another compressed file")
}

// A vocabulary file that changed after a run was described is not taken for the one that the run is known by.
func TestVocabularyFileThatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vocab.txt")
	write := func(last string) {
		must.Do(t, os.WriteFile(path, []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"+last+"\n"), 0o644))
	}
	write("dog")
	v := Vocabulary{File: path}
	tokenizer := must.Get(v.Tokenizer(nil))(t)
	v.Hash = tokenizer.Hash()
	if again, err := v.Tokenizer(nil); err != nil || again.Hash() != v.Hash {
		t.Errorf("unchanged: got %v", err)
	}
	write("cat")
	if _, err := v.Tokenizer(nil); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("got %v, want an error that names the file and says that it has changed", err)
	}
}

// Caption noise on a folder makes another run of the same data and vocabulary, and touches no other split than "train".
func TestCaptionNoiseOfAFolder(t *testing.T) {
	data := must.Get(FolderData(album(t)))(t)
	clean, noisy := smallest(t), smallest(t)
	clean.Data, noisy.Data = data, data
	noisy.Data.CaptionNoise = 0.5
	if clean.ID() == noisy.ID() || strings.Contains(string(clean.JSON()), "CaptionNoise") {
		t.Errorf("got identities %s and %s, want others, the clean one without CaptionNoise", clean.ID(), noisy.ID())
	}
	collection := must.Get(noisy.Data.Open())(t)
	captions := func(d Data, split string) (all []string) {
		set := must.Get(d.split(collection, split))(t)
		for _, p := range datasets.Pairs(set) {
			all = append(all, p.Text(set))
		}
		return all
	}
	for _, split := range []string{"train", "val", "test"} {
		was, is := captions(clean.Data, split), captions(noisy.Data, split)
		if len(was) != len(is) || slices.Equal(was, is) != (split != "train") {
			t.Errorf("%s: got captions %q of %q", split, is, was)
		}
	}
	// Only the images and captions that are used replace others.
	noisy.Data.Images, noisy.Data.Captions, noisy.Data.CaptionNoise = 2, 1, 1
	if got, want := captions(noisy.Data, "train"), []string{"train 1, caption 0", "train 0, caption 0"}; !slices.Equal(got, want) {
		t.Errorf("two images with a caption each: got %q, want %q", got, want)
	}
	set := must.Get(collection.Split("train"))(t)
	if got := slices.Collect(cleaned(set)); !slices.Contains(got, "train 7 caption 1") || len(got) != 16 {
		t.Errorf("the vocabulary is made from %q, want all clean captions", got)
	}
	for _, share := range []float64{-0.1, 1.5} {
		data.CaptionNoise = share
		must.Fail(t, must.Err(data.Open()), "use a share from 0 to 1", "a share of %v", share)
	}
}

// mute is a labelled set of which only the first image has a caption.
type mute struct{ datasets.Labelled }

func (m mute) Captions(i int) []string {
	if i > 0 {
		return nil
	}
	return m.Labelled.Captions(i)
}

// Where there are no captions a vocabulary is made from the names of classes.
func TestVocabularyWithoutCaptions(t *testing.T) {
	collection := must.Get(scenes.New(scenes.Config{Train: 3}))(t)
	set := must.Get(collection.Split("train"))(t)
	labelled := set.(datasets.Labelled)
	want := slices.Clone(set.Captions(0))
	for i := 1; i < 3; i++ {
		want = append(want, labelled.Classes()[labelled.Class(i)])
	}
	if got := slices.Collect(cleaned(mute{labelled})); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// album is a collection in Karpathy's layout with eight images a split, two captions an image.
func album(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "images"), 0o755))
	var entries []string
	for _, split := range []string{"train", "val", "test"} {
		for i := range 8 {
			name := fmt.Sprintf("%s%d.jpg", split, i)
			must.Do(t, os.WriteFile(filepath.Join(dir, "images", name), nil, 0o644))
			entries = append(entries, fmt.Sprintf(
				`{"filename": %q, "split": %q, "sentences": [{"raw": "%[2]s %[3]d, caption 0"}, {"raw": "%[2]s %[3]d, caption 1"}]}`,
				name, split, i))
		}
	}
	text := `{"dataset": "album", "images": [` + strings.Join(entries, ",") + `]}`
	must.Do(t, os.WriteFile(filepath.Join(dir, "dataset_album.json"), []byte(text), 0o644))
	return dir
}
