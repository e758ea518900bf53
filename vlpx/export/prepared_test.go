package export

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/run"
)

// raw are images [rows][height][width][3] and captions, as testdata/embed.py takes them.
type raw struct {
	Images   [][][][]uint16 `json:"images"`
	Captions []string       `json:"captions"`
}

// prepared is what is made of raw: pixels [rows][side][side][3], ids [rows][tokens], embeddings [rows][width].
type prepared struct {
	Pixels      [][][][]float32 `json:"pixels"`
	IDs         [][]int32       `json:"ids"`
	Image, Text [][]float32
}

// drawPicture draws noise of a size.
func drawPicture(draw *rand.Rand, width, height int) (*image.RGBA, [][][]uint16) {
	img, rows := image.NewRGBA(image.Rect(0, 0, width, height)), make([][][]uint16, height)
	for y := range rows {
		for range width {
			c := color.RGBA{uint8(draw.IntN(256)), uint8(draw.IntN(256)), uint8(draw.IntN(256)), 255}
			img.SetRGBA(len(rows[y]), y, c)
			rows[y] = append(rows[y], []uint16{uint16(c.R), uint16(c.G), uint16(c.B)})
		}
	}
	return img, rows
}

// prepare is what we make of a run's export, of images of several sizes and captions of all kinds.
func prepare(t *testing.T, r run.Run, tokenizer *text.Tokenizer, dir string) (raw, prepared) {
	t.Helper()
	draw, side := rand.New(rand.NewPCG(7, 8)), r.Train.Transform.Size
	var in raw
	var want prepared
	for _, size := range [][2]int{{side, side}, {70, 45}, {9, 33}, {1, 1}} {
		img, rows := drawPicture(draw, size[0], size[1])
		in.Images = append(in.Images, rows)
		flat := make([]float32, side*side*3)
		r.Train.Transform.Apply(nil, img, flat)
		pixels := make([][][]float32, side)
		for i := range side * side {
			pixels[i/side] = append(pixels[i/side], flat[3*i:3*i+3])
		}
		want.Pixels = append(want.Pixels, pixels)
	}
	in.Captions = []string{"a red circle", "", "A RED circle, left-of the  blue/green square's edge!",
		"ein großer Käfer und 你好 naïve \U0001F600",
		strings.Repeat("a small yellow triangle ", 20), "two <person> &amp; 3 dogs aren't \t here 42"}
	for _, caption := range in.Captions {
		want.IDs = append(want.IDs, tokenizer.EncodeCaption(caption, r.Train.MaxLen))
	}
	f := r.Train.Framework.Framework.(framework.Embeds)
	exec := must.Get(model.NewExec(enginetest.PureGo(t), stored(t, r, dir), func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		of := s.Store().Scope(framework.Model)
		return []*Node{f.EmbedImage(of, in[0]).Feature, f.EmbedText(of, in[1]).Feature}
	}))(t)
	defer exec.Finalize()
	out := must.Get(framework.Call(exec, tensors.FromValue(want.Pixels), tensors.FromValue(want.IDs)))(t)
	defer framework.Release(out)
	want.Image, want.Text = out[0].Value().([][]float32), out[1].Value().([][]float32)
	return in, want
}

// The model.py of an export resizes, tokenises and embeds as we do, BERT's words and CLIP's, whatever the image tower.
func TestModelInPython(t *testing.T) {
	var arguments, names []string
	var want []prepared
	add := func(name string, r run.Run, tokenizer *text.Tokenizer) {
		kept, m := drawn(t, r, tokenizer)
		dir := exported(t, kept, m)
		in, ours := prepare(t, r, tokenizer, dir)
		names, want, arguments = append(names, name), append(want, ours), append(arguments, dir, written(t, in))
	}
	r, tokenizer := small(t)
	add("ALBEF", r, tokenizer)
	r, tokenizer = smallCLIP(t, "ResNet of three stages")
	add("ResNet", r, tokenizer)
	merges := filepath.Join(t.TempDir(), "bpe_simple_vocab_16e6.txt")
	must.Do(t, os.WriteFile(merges, []byte("#version: 0.2\nr e\nre d</w>\ne d\nc i\nt h\n"), 0o644))
	tokenizer = must.Get(text.FromMerges(merges))(t)
	r, _ = smallCLIP(t, "as published")
	r.Vocabulary = run.Vocabulary{File: merges, Hash: tokenizer.Hash()}
	r.Train.Framework.Framework = clips(tokenizer.Size())["as published"]
	add("CLIP's words", r, tokenizer)

	lines := printed(t, "embed.py", arguments)
	for i, name := range names {
		var got prepared
		must.Do(t, lines.Decode(&got))
		for row := range want[i].IDs {
			for k, id := range want[i].IDs[row] {
				if got.IDs[row][k] != id {
					t.Errorf("%s, caption %d: got the ids %v, want %v", name, row, got.IDs[row], want[i].IDs[row])
					break
				}
			}
		}
		worst := 0.0
		for row, image := range want[i].Pixels {
			for y := range image {
				for x := range image[y] {
					for c, v := range image[y][x] {
						worst = max(worst, math.Abs(float64(v-got.Pixels[row][y][x][c])))
					}
				}
			}
		}
		if !(worst < 1e-4) {
			t.Errorf("%s: pixels differ by up to %g", name, worst)
		}
		worst = 0
		for _, of := range [][2][][]float32{{want[i].Image, got.Image}, {want[i].Text, got.Text}} {
			for row := range of[0] {
				for d, v := range of[0][row] {
					worst = max(worst, math.Abs(float64(v-of[1][row][d])))
				}
			}
		}
		t.Logf("%s: embeddings differ by up to %.2g", name, worst)
		if !(worst < 1e-4) {
			t.Errorf("%s: embeddings differ by up to %g", name, worst)
		}
	}
}

// pillow requires a Python with Pillow beside PyTorch.
func pillow(t *testing.T) {
	t.Helper()
	if exec.Command(torch(t), "-c", "import PIL").Run() != nil {
		if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "torch") {
			t.Fatal("VLPX_REQUIRE names torch, but its Python has no Pillow")
		}
		t.Skip("no Pillow; install python3-pil")
	}
}

// saved writes an image to a file in PNG.
func saved(t *testing.T, img image.Image, path string) string {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	must.Do(t, png.Encode(f, img))
	must.Do(t, f.Close())
	return path
}

// Recall of a run's test split in PyTorch, by the recipe of the export's card, is the run's to the last digit: the same pixels, the same
// tokens, and the right candidate last among equals, of which equal captions make many.
func TestRecallInPython(t *testing.T) {
	pillow(t)
	r, _ := small(t)
	r.Data = must.Get(run.ScenesData(scenes.Config{Train: 16, Val: 4, Test: 40, Captions: 3, Size: 23, Density: "dbl"}))(t)
	tokenizer := must.Get(r.Vocabulary.Tokenizer(must.Get(r.Data.Open())(t)))(t)
	change(&r, func(a *albef.Model) { a.Text.Vocab = tokenizer.Size() })
	kept, m := made(t, r)
	var in struct {
		Images   []string `json:"images"`
		Captions []string `json:"captions"`
		Owners   []int    `json:"owners"`
	}
	set, folder, owners := must.Get(r.Data.TestSet())(t), t.TempDir(), map[string]map[int]bool{}
	for i := range set.Len() {
		in.Images = append(in.Images, saved(t, must.Get(set.Image(t.Context(), i))(t), filepath.Join(folder, fmt.Sprintf("%d.png", i))))
		for _, caption := range set.Captions(i) {
			in.Captions, in.Owners = append(in.Captions, caption), append(in.Owners, i)
			if owners[caption] == nil {
				owners[caption] = map[int]bool{}
			}
			owners[caption][i] = true
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(owners)), func(of map[int]bool) bool { return len(of) > 2 }) {
		t.Error("no caption is that of three images; the test needs ties")
	}
	var got [][2]float64
	must.Do(t, printed(t, "recall.py", []string{exported(t, kept, m), written(t, in)}).Decode(&got))
	for n, k := range []int{1, 5, 10} {
		for side, name := range []string{"TR", "IR"} {
			metric := fmt.Sprintf("%s%s@%d", eval.CosinePrefix, name, k)
			want, measured := kept.Result.Metrics[metric]
			if t.Logf("%s: %v", metric, want); !measured || math.Abs(got[n][side]-want) > 1e-9 {
				t.Errorf("%s: PyTorch gets %v, we %v", metric, got[n][side], want)
			}
		}
	}
}

// Files are read as vlpx reads them, transparent pixels as black, where Pillow is.
func TestImageFilesInPython(t *testing.T) {
	pillow(t)
	r, tokenizer := small(t)
	kept, m := drawn(t, r, tokenizer)
	dir, draw, side := exported(t, kept, m), rand.New(rand.NewPCG(9, 10)), r.Train.Transform.Size
	whole, _ := drawPicture(draw, 40, 30)
	translucent, grey := image.NewNRGBA(whole.Bounds()), image.NewGray(whole.Bounds())
	for i := range translucent.Pix {
		translucent.Pix[i] = uint8(draw.IntN(256))
	}
	for i := range grey.Pix {
		grey.Pix[i] = uint8(draw.IntN(256))
	}
	var files []string
	for name, img := range map[string]image.Image{"whole": whole, "translucent": translucent, "grey": grey} {
		files = append(files, saved(t, img, filepath.Join(t.TempDir(), name+".png")))
	}
	inputs := written(t, map[string]any{"images": files, "captions": []string{"one"}})
	var got prepared
	must.Do(t, printed(t, "embed.py", []string{dir, inputs}).Decode(&got))
	for row, path := range files {
		want := make([]float32, side*side*3)
		r.Train.Transform.Apply(nil, must.Get(content.Picture(path))(t), want)
		for i, v := range want {
			if x := got.Pixels[row][i/3/side][i/3%side][i%3]; math.Abs(float64(v-x)) > 1e-4 {
				t.Fatalf("%s, value %d: got %v, want %v", path, i, x, v)
			}
		}
	}
}
