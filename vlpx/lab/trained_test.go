package lab

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/export"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/embedding"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/watchdog"
)

// modelOf trains a method in little time, and returns the run.
func modelOf(t *testing.T, method string, o Options) run.Run {
	t.Helper()
	grid := must.Get(OpenComparison([]string{method}, o))(t)
	must.Do(t, grid.Make(t.Context(), nil))
	return grid.Plan.Rows[0][0]
}

// scenesOf writes a run's scenes as files, and returns the folder of the pictures.
func scenesOf(t *testing.T, r run.Run) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, export.Write(t.Context(), dir, must.Get(r.Data.Open())(t)))
	return filepath.Join(dir, "images")
}

// hear keeps what is said.
func hear(lines *[]string) func(string) { return func(line string) { *lines = append(*lines, line) } }

// A picture's file and a text are to a model what an image and a caption of its data are, by the run and by its export.
func TestScoreAndEmbed(t *testing.T) {
	for _, f := range []string{"ALBEF", "CLIP"} {
		o := smallest(t.TempDir())
		o.Framework = f
		r := modelOf(t, "InfoNCE", o)
		images, exported := scenesOf(t, r), filepath.Join(t.TempDir(), "exported")
		must.Get(Export(r.ID()[:6], exported, o.Home, false))(t)
		set := must.Get(r.Data.TestSet())(t)
		var texts []string
		for i := range 3 {
			texts = append(texts, set.Captions(i)[0])
		}
		var want []Scored
		must.Do(t, withTrained(t.Context(), r.ID(), o, nil, func(_ context.Context, m *trained) error {
			want = scoredBySet(t, m, set, texts)
			return nil
		}))
		for _, model := range []string{r.ID()[:6], exported} {
			got, err := Score(t.Context(), model, filepath.Join(images, "test-000001.png"), texts, o, nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", f, model, err)
			}
			for k, s := range got.Of {
				if s.Text != texts[k] || !near(s.Cosine, want[k].Cosine) || !near(s.ITM, want[k].ITM) {
					t.Errorf("%s, %s: got %+v, want %+v", f, model, s, want[k])
				}
			}
			if table := fmt.Sprint(got.Table()); strings.Contains(table, "ITM") == math.IsNaN(want[0].ITM) {
				t.Errorf("%s: got the table %s", f, table)
			}
		}
	}
}

// near reports whether two numbers are equal as far as float32 resolves, or both none.
func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-5 }

// scoredBySet is what a model says of image 1 of its own data.
func scoredBySet(t *testing.T, m *trained, set datasets.Set, texts []string) []Scored {
	t.Helper()
	c := must.Get(m.run.Data.Open())(t)
	s, closeSubject, err := m.subject(t.Context(), m.run.Data, c, "test")
	must.Do(t, err)
	defer closeSubject()
	all := make([]Scored, len(texts))
	for k := range all {
		all[k] = Scored{texts[k], math.NaN(), math.NaN()}
	}
	if m.embeds(true, true) == nil {
		sims := must.Get(s.Encode(t.Context()))(t).Similarities()
		for p, pair := range datasets.Pairs(set) {
			if k := slices.Index(texts, pair.Text(set)); k >= 0 {
				all[k].Cosine = sims.Row(1)[p]
			}
		}
	}
	if m.matches() {
		// In another order and number than Score asks.
		var pairs []eval.ImageText
		for i := range set.Len() {
			for k := range texts {
				pairs = append(pairs, eval.ImageText{Image: i, Text: k})
			}
		}
		probabilities := must.Get(s.Matching(t.Context(), texts, pairs))(t)
		for k := range texts {
			all[k].ITM = probabilities[len(texts)+k]
		}
	}
	return all
}

// What is embedded is written and read again; a folder's broken picture is left out and told, and one that is named is an error.
func TestEmbed(t *testing.T) {
	o := smallest(t.TempDir())
	o.Framework = "CLIP"
	r := modelOf(t, "InfoNCE", o)
	images := scenesOf(t, r)
	broken := filepath.Join(images, "test-000002.png")
	must.Do(t, os.WriteFile(broken, []byte("no picture"), 0o644))
	list := filepath.Join(t.TempDir(), "texts.txt")
	must.Do(t, os.WriteFile(list, []byte("a red disc\r\n\nzzz\n"+strings.Repeat("red ", 40)+"\n"), 0o644))
	var said []string
	e := must.Get(Embed(t.Context(), r.ID(), []string{images, list, "a disc"}, o, hear(&said)))(t)
	if len(e.Images) != 23 || !slices.Equal(e.Skipped, []string{broken}) || len(e.Texts) != 4 || e.ID != r.ID() ||
		len(e.OfImages) != 23*e.Dim || len(e.OfTexts) != 4*e.Dim || e.String() != fmt.Sprintf("23 pictures and 4 texts, %d numbers each", e.Dim) {
		t.Errorf("got %s of %d pictures without %v, %d texts by %s", e, len(e.Images), e.Skipped, len(e.Texts), e.ID)
	}
	for _, want := range []string{"1 picture cannot be read and is left out: " + broken, `the model knows no word of "zzz"`,
		`the end of "red red`} {
		if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("said %q, want %q", said, want)
		}
	}
	path := filepath.Join(t.TempDir(), "all.safetensors")
	must.Do(t, e.Write(path))
	if again := must.Get(embedding.Read(path))(t); !reflect.DeepEqual(*again, e.Set) {
		t.Errorf("read %+v, want %+v", again, e.Set)
	}
	for _, c := range []struct {
		what []string
		want string
	}{
		{nil, "nothing to embed"},
		{[]string{broken}, broken},
		{[]string{" "}, "an empty text"},
		{[]string{"no/such.png"}, "no such file"},
		{[]string{"nosuch.jpg"}, "no such file"},
		{[]string{t.TempDir()}, "has no pictures"},
		{[]string{filepath.Join(filepath.Dir(images), "dataset_scenes.json")}, "neither a picture"},
	} {
		must.Fail(t, must.Err(Embed(t.Context(), r.ID(), c.what, o, nil)), c.want, "%q", c.what)
	}
	only := t.TempDir()
	must.Do(t, os.Rename(broken, filepath.Join(only, "a.png")))
	must.Fail(t, must.Err(Embed(t.Context(), r.ID(), []string{only}, o, nil)), "none of 1 picture can be read")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	must.Fail(t, must.Err(Embed(stopped, r.ID(), []string{images}, o, nil)), "canceled")
}

// A model is asked for no more than it is able to, and a name that is none says what it could be.
func TestTrainedMistakes(t *testing.T) {
	o := smallest(t.TempDir())
	o.Framework = "simclr"
	sim := modelOf(t, "SogCLR", o)
	images := scenesOf(t, sim)
	if e := must.Get(Embed(t.Context(), sim.ID(), []string{images}, o, nil))(t); len(e.Images) != 24 {
		t.Errorf("embedded %s by SimCLR, want 24 pictures", e)
	}
	must.Fail(t, must.Err(Embed(t.Context(), sim.ID(), []string{"a disc"}, o, nil)), "which has no text side; name pictures alone")
	picture := filepath.Join(images, "test-000000.png")
	must.Fail(t, must.Err(Score(t.Context(), sim.ID(), picture, []string{"a disc"}, o, nil)), "which has no text side")
	must.Fail(t, must.Err(Score(t.Context(), sim.ID(), picture, nil, o, nil)), "no text to score")
	must.Fail(t, must.Err(Score(t.Context(), sim.ID(), images, []string{"a"}, o, nil)), "no regular file")
	must.Fail(t, must.Err(Embed(t.Context(), "zzz", []string{"a"}, o, nil)), "vlpx runs says which there are")
	must.Fail(t, must.Err(Embed(t.Context(), "no/such", []string{"a"}, o, nil)), "name a folder that vlpx export wrote")
	must.Fail(t, must.Err(Embed(t.Context(), images, []string{"a"}, o, nil)), "no safetensors file")
	o.Framework = "UNITER"
	scores := modelOf(t, "InfoNCE", o)
	must.Fail(t, must.Err(Embed(t.Context(), scores.ID(), []string{images}, o, nil)), "makes no embeddings of pictures")
	must.Fail(t, must.Err(Score(t.Context(), scores.ID(), picture, []string{"a disc"}, o, nil)), "give a folder of precomputed regions")
}

// A published CLIP is used by its weights and its vocabulary.
func TestPublishedCLIP(t *testing.T) {
	dir, o := t.TempDir(), Options{Home: t.TempDir()}
	golden := filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "clip_openai_forward", "weights.safetensors")
	must.Do(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), must.Get(os.ReadFile(golden))(t), 0o644))
	must.Fail(t, must.Err(Embed(t.Context(), dir, []string{"w1 w2"}, o, nil)), "has no vocabulary beside it")
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for len(words) < 39 {
		words = append(words, fmt.Sprintf("w%d", len(words)))
	}
	o.Vocabulary = filepath.Join(dir, "vocab.txt")
	must.Do(t, os.WriteFile(o.Vocabulary, []byte(strings.Join(words, "\n")), 0o644))
	must.Fail(t, must.Err(Embed(t.Context(), dir, []string{"w7 w9"}, o, nil)), "has 39 tokens, and", "another vocabulary")
	must.Do(t, os.WriteFile(o.Vocabulary, []byte(strings.Join(append(words, "w39"), "\n")), 0o644))
	e := must.Get(Embed(t.Context(), dir, []string{"w7 w9", "w7 w9 w39", "w39 w7"}, o, nil))(t)
	if e.Dim != 8 || len(e.Texts) != 3 || len(e.ID) != 16 || e.Model != filepath.Base(dir) {
		t.Fatalf("got %+v", e)
	}
	of := func(k int) []float32 { return e.OfTexts[k*8 : (k+1)*8] }
	for k := range 3 {
		length := 0.0
		for _, x := range of(k) {
			length += float64(x) * float64(x)
		}
		if math.Abs(length-1) > 1e-5 {
			t.Errorf("text %d has the squared length %g", k, length)
		}
	}
	if slices.Equal(of(0), of(1)) || slices.Equal(of(1), of(2)) {
		t.Error("other texts have the same embedding")
	}
	must.Fail(t, must.Err(Embed(t.Context(), filepath.Join(filepath.Dir(golden), "..", "vit_deit_forward", "weights.safetensors"), []string{"a"}, o, nil)),
		"which is no CLIP")
}

// A CLIP that was exported as transformers reads it is used as a published one, and says what its run says.
func TestCLIPOfTheHub(t *testing.T) {
	o := smallest(t.TempDir())
	o.Framework, o.Set = "CLIP", append(o.Set, "meanpool=false")
	r := modelOf(t, "InfoNCE", o)
	picture, hub := filepath.Join(scenesOf(t, r), "test-000001.png"), filepath.Join(t.TempDir(), "hub")
	must.Get(ExportHub(r.ID(), hub, o.Home))(t)
	texts := []string{"a red disc", "a green square on slate"}
	want, got := must.Get(Score(t.Context(), r.ID(), picture, texts, o, nil))(t), must.Get(Score(t.Context(), hub, picture, texts, o, nil))(t)
	for k, s := range got.Of {
		if s.Text != texts[k] || !near(s.Cosine, want.Of[k].Cosine) {
			t.Errorf("got %+v, want %+v", s, want.Of[k])
		}
	}
	if near(want.Of[0].Cosine, want.Of[1].Cosine) {
		t.Error("both texts score the same, so that nothing was tried")
	}
}

// What uses a trained model says where it is stuck.
func TestStuckUse(t *testing.T) {
	o := smallest(t.TempDir())
	r := modelOf(t, "InfoNCE", o)
	o.silence = 10 * time.Millisecond
	said := make(chan string, 1)
	must.Do(t, withTrained(t.Context(), r.ID(), o, func(line string) { said <- line }, func(context.Context, *trained) error {
		if line := <-said; !strings.Contains(line, "its use has not moved on for ") {
			t.Errorf("it says %q", line)
		}
		return nil
	}))
	must.Get(os.Stat(filepath.Join(o.Home, watchdog.FileName)))(t)
}
