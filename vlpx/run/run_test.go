package run

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// smallest is a run of a second: 16 generated images, mini-batches of eight, two epochs.
func smallest(t *testing.T) Run {
	t.Helper()
	data, err := ScenesData(scenes.Config{Train: 16, Val: 4, Test: 4, Captions: 2, Size: 16})
	if err != nil {
		t.Fatal(err)
	}
	r := Run{Data: data, Vocabulary: Vocabulary{MinCount: 1, MaxSize: 200}, Rerank: 2}
	collection, err := data.Open()
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := r.Vocabulary.Tokenizer(collection)
	if err != nil {
		t.Fatal(err)
	}
	r.Train = train.Config{
		Framework: framework.ALBEF{
			Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16},
			Text:   encoder.BERT{Vocab: tokenizer.Size(), Positions: 12, Width: 8, Heads: 2, MLP: 16, Layers: 1, Fusion: 1},
			Embed:  6,
		},
		Method: negative.GRITVLP(8, 16), BatchSize: 8, Epochs: 2, MaxLen: 10,
		Transform: transform.Pipeline{Size: 16},
		Optimiser: train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
		Schedule:  train.Schedule{Warmup: 1e-4, Rate: 1e-3, Min: 1e-4, Units: 3, Unit: 2, Epochs: 2},
		Seed:      1,
	}
	return r
}

// bump changes every number, text and truth value below v in turn, calls changed, and puts it back.
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
		}
		return
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
		return
	default:
		panic(fmt.Sprintf("%s is a %s, which this test does not know how to change", path, v.Kind()))
	}
	changed(path)
	v.Set(old)
}

// Every field of a run is part of its identity, but where its files lie and how its method is called.
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
	if want := []string{"Run.Data.Dir", "Run.Vocabulary.File", "Run.Train.Method.Name"}; !reflect.DeepEqual(outside, want) {
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
	if _, err := (Vocabulary{File: "words"}).Tokenizer(nil); err == nil || !strings.Contains(err.Error(), "vocab.txt") {
		t.Errorf("got %v, want an error that names the kinds", err)
	}
}

// Caption noise on a folder makes another run of the same data and vocabulary, and touches no other split than "train".
func TestCaptionNoiseOfAFolder(t *testing.T) {
	data, err := FolderData(album(t))
	if err != nil {
		t.Fatal(err)
	}
	clean, noisy := smallest(t), smallest(t)
	clean.Data, noisy.Data = data, data
	noisy.Data.CaptionNoise = 0.5
	if clean.ID() == noisy.ID() || strings.Contains(string(clean.JSON()), "CaptionNoise") {
		t.Errorf("got identities %s and %s, want others, the clean one without CaptionNoise", clean.ID(), noisy.ID())
	}
	collection, err := noisy.Data.Open()
	if err != nil {
		t.Fatal(err)
	}
	captions := func(d Data, split string) (all []string) {
		set, err := d.split(collection, split)
		if err != nil {
			t.Fatal(err)
		}
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
	set, err := collection.Split("train")
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(cleaned(set)); !slices.Contains(got, "train 7 caption 1") || len(got) != 16 {
		t.Errorf("the vocabulary is made from %q, want all clean captions", got)
	}
	for _, share := range []float64{-0.1, 1.5} {
		data.CaptionNoise = share
		if _, err := data.Open(); err == nil || !strings.Contains(err.Error(), "use a share from 0 to 1") {
			t.Errorf("a share of %v: got error %v, want one that names the range", share, err)
		}
	}
}

// album is a collection in Karpathy's layout with eight images a split, two captions an image.
func album(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, split := range []string{"train", "val", "test"} {
		for i := range 8 {
			name := fmt.Sprintf("%s%d.jpg", split, i)
			if err := os.WriteFile(filepath.Join(dir, "images", name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			entries = append(entries, fmt.Sprintf(
				`{"filename": %q, "split": %q, "sentences": [{"raw": "%[2]s %[3]d, caption 0"}, {"raw": "%[2]s %[3]d, caption 1"}]}`,
				name, split, i))
		}
	}
	text := `{"dataset": "album", "images": [` + strings.Join(entries, ",") + `]}`
	if err := os.WriteFile(filepath.Join(dir, "dataset_album.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A test's binary names no revision, so that the kernel's word counts, and none is unknown.
func TestCommit(t *testing.T) {
	for said, want := range map[string]string{"": "unknown", "0123456789ab+changes": "0123456789ab+changes"} {
		t.Setenv("VLPX_COMMIT", said)
		if got := Commit(); got != want {
			t.Errorf("VLPX_COMMIT=%q: got %q, want %q", said, got, want)
		}
	}
}
