package eval_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// penalised is scikit-learn's objective over C n, in loops.
func penalised(weights []float64, features []float32, class []int, classes int, c float64) float64 {
	loss := crossEntropy(weights, features, class, classes)
	for _, w := range weights[:len(weights)-classes] {
		loss += w * w / (2 * c * float64(len(class)))
	}
	return loss
}

// TestPenalisedAgainstSlow compares the objective with loops and its gradient with finite differences.
func TestPenalisedAgainstSlow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		weights, features, class, classes := problem(rt)
		c := rapid.Float64Range(.05, 20).Draw(rt, "C")
		loss, gradient := eval.Penalised(weights, features, class, classes, c)
		slow := func(w []float64) float64 { return penalised(w, features, class, classes, c) }
		if want := slow(weights); math.Abs(loss-want) > 1e-11*(1+want) {
			rt.Errorf("objective: got %g, want %g", loss, want)
		}
		for i, want := range differences(weights, slow) {
			if math.Abs(gradient[i]-want) > 1e-6 {
				rt.Errorf("gradient %d: got %g, want %g", i, gradient[i], want)
			}
		}
	})
}

// TestRegressionClosedForm has one image at 1 of class 0 and one at -1 of class 1. By symmetry the weights are w and -w, the bias 0; the
// objective is log(1 + exp(-2w)) + w^2/(2C), whose slope is 0 at w (1 + exp(2w)) = 2C.
func TestRegressionClosedForm(t *testing.T) {
	for _, w := range []float64{.01, .5, 2} {
		c := w * (1 + math.Exp(2*w)) / 2
		got := must.Get(eval.Regression(t.Context(), []float32{1, -1}, []int{0, 1}, 2, c))(t)
		for i, want := range []float64{w, -w, 0, 0} {
			if math.Abs(got[i]-want) > 5e-3*w {
				t.Errorf("C = %g: weight %d: got %g, want %g", c, i, got[i], want)
			}
		}
	}
}

// TestRegressionIsTheLeast: the gradient is flat where a regression ends, and the objective is convex: it is the same from wherever it
// started, as far as the bias, which nothing holds, may go on at that slope.
func TestRegressionIsTheLeast(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, features, class, classes := problem(rt)
		c := rapid.Float64Range(.01, 50).Draw(rt, "C")
		cold, err := eval.Regression(t.Context(), features, class, classes, c)
		if err != nil {
			rt.Fatal(err)
		}
		warm, err := eval.Regression(t.Context(), features, class, classes, 1e-6, c/100, c/2, c)
		if err != nil {
			rt.Fatal(err)
		}
		coldLoss, gradient := eval.Penalised(cold, features, class, classes, c)
		warmLoss, _ := eval.Penalised(warm, features, class, classes, c)
		for i, g := range gradient {
			if math.Abs(g) > 1e-3 {
				rt.Errorf("gradient %d: got %g, want 0", i, g)
			}
		}
		if math.Abs(coldLoss-warmLoss) > 1e-3 {
			rt.Errorf("the objective is %g from 0 and %g from other penalties", coldLoss, warmLoss)
		}
	})
}

func TestPenalties(t *testing.T) {
	for k, want := range map[int]float64{0: 1e-6, 9: 1e5, 1: 1.6681005e-5} {
		if got := eval.Penalty(k); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("C %d: got %g, want %g", k, got, want)
		}
	}
}

// TestStandards: of unit length and then of mean 0 and deviation 1 by the training images, others by the same numbers; a component that
// does not vary is 0, and a representation of zeros does no harm.
func TestStandards(t *testing.T) {
	by := []float32{3, 4, 0, 0, 5, 0, 4, 3, 0} // unit: (.6, .8), (0, 1), (.8, .6)
	got := eval.Standardised(by, append(slices.Clone(by), 0, 0, 0), 3)
	mean, other := 1.4/3, 2.4/3
	deviation := math.Sqrt((.36+.64)/3 - mean*mean)
	otherDeviation := math.Sqrt((.64+1+.36)/3 - other*other)
	for i, x := range [][2]float64{{.6, .8}, {0, 1}, {.8, .6}, {0, 0}} {
		for d, want := range []float64{(x[0] - mean) / deviation, (x[1] - other) / otherDeviation, 0} {
			if have := float64(got[3*i+d]); math.Abs(have-want) > 1e-5 {
				t.Errorf("image %d, component %d: got %g, want %g", i, d, have, want)
			}
		}
	}
}

// TestTransferChooses: forty training images in nine components, of which one tells the class, are learned by heart with a weak penalty;
// the one that is chosen does nearly as well on others as the plane between the means, which has 84 % of them on their side.
func TestTransferChooses(t *testing.T) {
	const width, classes = 9, 2
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(n int, noise float64) (features []float32, class []int) {
		for i := range n {
			k := i % classes
			for d := range width {
				x := noise * rng.NormFloat64()
				if d == 0 {
					x += 2*float64(k) - 1
				}
				features = append(features, float32(x))
			}
			class = append(class, k)
		}
		return features, class
	}
	training, class := draw(40, 1)
	validation, validationClass := draw(400, 1)
	test, want := draw(400, 1)
	answers := must.Get(eval.Transferred(t.Context(), width, classes, training, validation, test, class, validationClass))(t)
	right := 0
	for i, k := range answers {
		if k == want[i] {
			right++
		}
	}
	if right < 320 {
		t.Errorf("got %d right of 400", right)
	}
}

// across is the subject of a framework on points, for which each split of any collection is one of these.
func across(t *testing.T, of map[string]points) eval.Subject {
	t.Helper()
	on := by(t, of["test"], of["train"])
	on.On = func(_ context.Context, c datasets.Collection, split string) (eval.Subject, error) {
		other, ok := of[split]
		if !ok {
			return on, fmt.Errorf("%s has no split %s here", c.Name(), split)
		}
		on := on
		on.Set, on.Features = other, other
		return on, nil
	}
	return on
}

// sceneTarget is a target whose scenes nobody looks at.
func sceneTarget(t *testing.T, name string, seed uint64) eval.Target {
	t.Helper()
	target := must.Get(eval.SceneTarget(name, scenes.Config{Train: 1, Val: 1, Test: 1, Seed: seed}))(t)
	return target
}

// TestTransfer: what is apart is found; of classes with unlike numbers of images top-1 and the mean differ, and the average has what the
// target's protocol measures.
func TestTransfer(t *testing.T) {
	sets := map[string]points{}
	for seed, split := range []string{"train", "val", "test"} {
		sets[split] = clusters(split, 90, 3, .05, uint64(seed))
	}
	task := eval.Transfer{Targets: []eval.Target{sceneTarget(t, "one", 1), sceneTarget(t, "other", 2)}}
	got := must.Get(task.Measure(t.Context(), across(t, sets)))(t)
	same(t, got.Metrics, eval.Result{"transfer one top-1": 100, "transfer one mean": 100, "transfer other top-1": 100,
		"transfer other mean": 100,
		eval.TransferAverage:  100})

	wrong := sets["test"] // class 2 has four images, of which three lie at class 0
	wrong.at, wrong.class = slices.Clone(wrong.at[:9]), slices.Clone(wrong.class[:9])
	wrong.at, wrong.class = append(wrong.at, wrong.at[0], wrong.at[3], wrong.at[6]), append(wrong.class, 2, 2, 2)
	wrong.class[2], wrong.class[5] = 2, 2
	sets["test"] = wrong
	task.Targets[1].ByClass = true
	got = must.Get(task.Measure(t.Context(), across(t, sets)))(t)
	same(t, got.Metrics, eval.Result{"transfer one top-1": 75, "transfer one mean": 250. / 3, "transfer other top-1": 75,
		"transfer other mean": 250. / 3,
		eval.TransferAverage:  (75 + 250./3) / 2})
	brief := across(t, sets)
	brief.Brief = true
	if got, err := task.Measure(t.Context(), brief); err != nil || len(got.Metrics) > 0 {
		t.Errorf("in brief: got %v (%v), want nothing", got.Metrics, err)
	}
}

// TestTransferOdd: what is odd has a value. One class is always right; where all images look alike a regression answers one class to all.
func TestTransferOdd(t *testing.T) {
	alike := clusters("alike", 9, 3, 0, 1)
	for i := range alike.at {
		alike.at[i] = [3]float32{1, 1, 0}
	}
	for _, c := range []struct {
		set  points
		want float64
	}{{clusters("one class", 12, 1, .4, 1), 100}, {alike, 100. / 3},
		{spoiled(func(p *points) { p.at, p.class = p.at[:1], p.class[:1] }), 100}} {
		sets := map[string]points{"train": c.set, "val": c.set, "test": c.set}
		got, err := eval.Transfer{Targets: []eval.Target{sceneTarget(t, "x", 1)}}.Measure(t.Context(), across(t, sets))
		if v := got.Metrics[eval.TransferTop1("x")]; err != nil || math.Abs(v-c.want) > 1e-9 {
			t.Errorf("%s: got %v (%v), want %g", c.set.name, got.Metrics, err, c.want)
		}
	}
}

// folderOf is a folder with a picture in each place.
func folderOf(t *testing.T, places ...string) string {
	t.Helper()
	dir := t.TempDir()
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	for k, place := range places {
		img.SetGray(1, 1, color.Gray{byte(k)})
		path := filepath.Join(dir, place)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		file := must.Get(os.Create(path))(t)
		must.Do(t, errors.Join(png.Encode(file, img), file.Close()))
	}
	return dir
}

// TestTransferWithoutValidation: a folder that has no split val chooses by a tenth of its training images, and one that has no test
// measures on val.
func TestTransferWithoutValidation(t *testing.T) {
	for _, other := range []string{"test", "val"} {
		target := must.Get(eval.FolderTarget(folderOf(t, "train/a/0.png", "train/b/1.png", other+"/a/2.png", other+"/b/3.png"), ""))(t)
		task := eval.Transfer{Targets: []eval.Target{target}}
		sets := map[string]points{"train": clusters("train", 40, 2, .05, 1), other: clusters("other", 40, 2, .05, 2)}
		got, err := task.Measure(t.Context(), across(t, sets))
		if err != nil || got.Metrics[eval.TransferAverage] != 100 {
			t.Errorf("%s: got %v (%v)", other, got.Metrics, err)
		}
		sets["train"] = clusters("train", 9, 2, .05, 1)
		if _, err = task.Measure(t.Context(), across(t, sets)); err == nil || !strings.Contains(err.Error(), "9 training images without "+
			"a validation split") {
			t.Errorf("nine images: got %v", err)
		}
	}
}

// TestTargetErrors: what is wrong with a target is told with its name.
func TestTargetErrors(t *testing.T) {
	good := map[string]points{"train": clusters("train", 8, 2, .1, 1), "val": clusters("val", 8, 2, .1, 2),
		"test": clusters("test", 8, 2, .1, 3)}
	lost, changed, labelled := sceneTarget(t, "x", 1), sceneTarget(t, "x", 1), sceneTarget(t, "x", 1)
	lost.Scenes, changed.Hash, labelled.Labels = nil, "0123", "shapes"
	for want, targets := range map[string][]eval.Target{
		"not known where the target x lies": {lost},
		"x in  has changed since":           {changed},
		`x has no labels "shapes"`:          {labelled},
		`a target named "", or two`:         {{}},
		`a target named "x", or two`:        {sceneTarget(t, "x", 1), sceneTarget(t, "x", 2)},
	} {
		must.Fail(t, must.Err((eval.Transfer{Targets: targets}).Measure(t.Context(), across(t, good))), want)
	}
	task := eval.Transfer{Targets: []eval.Target{sceneTarget(t, "x", 1)}}
	for want, change := range map[string]func(*points){
		"the target x: eval: point-1 of few is of class 7":                 func(p *points) { p.class[1] = 7 },
		"the target x: eval: the representation of point-1 of few has NaN": func(p *points) { p.at[1][0] = float32(math.NaN()) },
	} {
		for split := range good {
			sets := map[string]points{"train": good["train"], "val": good["val"], "test": good["test"]}
			sets[split] = spoiled(change)
			must.Fail(t, must.Err(task.Measure(t.Context(), across(t, sets))), want, "%s", split)
		}
	}
	alone := by(t, good["test"], good["train"])
	alone.On = nil
	must.Fail(t, must.Err(task.Measure(t.Context(), alone)), "measure by a run", "without other data")
	must.Fail(t, task.Check(silent{reading{}}, good["test"]), "which Reading does not make", "no embeddings")
}

// TestFolderTarget: a folder is a target if it has classes and something to measure on; one of captions is none.
func TestFolderTarget(t *testing.T) {
	dir := folderOf(t, "train/a/0.png", "train/b/1.png", "test/a/2.png", "test/b/3.png")
	target, err := eval.FolderTarget(dir, "")
	if err != nil || target.Name != filepath.Base(dir) || target.Hash == "" || target.Dir != dir {
		t.Errorf("got %+v (%v)", target, err)
	}
	must.Fail(t, must.Err(eval.FolderTarget(dir, eval.CoarseLabels)), "train.bin", "coarse labels of a folder")
	must.Fail(t, must.Err(eval.FolderTarget(folderOf(t, "train/a/0.png"), "")), "measures on test or val", "training alone")
	captions := t.TempDir()
	text := `{"images": [{"filename": "0.png", "split": "train", "sentences": [{"raw": "a"}]},
		{"filename": "1.png", "split": "test", "sentences": [{"raw": "b"}]}]}`
	must.Do(t, os.WriteFile(filepath.Join(captions, "dataset_few.json"), []byte(text), 0o644))
	must.Do(t, os.CopyFS(filepath.Join(captions, "images"), os.DirFS(filepath.Join(dir, "train", "a"))))
	must.Do(t, os.CopyFS(filepath.Join(captions, "images"), os.DirFS(filepath.Join(dir, "train", "b"))))
	must.Fail(t, must.Err(eval.FolderTarget(captions, "")), "has no class of each image", "captions")
}

// TestCoarseTarget is CIFAR-100 by its coarse classes.
func TestCoarseTarget(t *testing.T) {
	data := os.Getenv("VLPX_DATA")
	if data == "" {
		t.Skip("VLPX_DATA does not name a folder with cifar100/")
	}
	if target, err := eval.FolderTarget(filepath.Join(data, "cifar100"), eval.CoarseLabels); err != nil ||
		target.Name != "CIFAR-100 coarse" {
		t.Errorf("CIFAR-100: got %+v (%v)", target, err)
	}
}

// BenchmarkTransfer is the choice of C and the last fit, of clusters that overlap.
func BenchmarkTransfer(b *testing.B) {
	for _, size := range []struct{ n, width, classes int }{{2000, 128, 8}, {9000, 192, 100}} {
		b.Run(fmt.Sprintf("%d by %d of %d classes", size.n, size.width, size.classes), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			means := make([]float64, size.width*size.classes)
			for i := range means {
				means[i] = rng.NormFloat64()
			}
			draw := func(n int) (features []float32, class []int) {
				for i := range n {
					k := i % size.classes
					for d := range size.width {
						features = append(features, float32(means[k*size.width+d]+3*rng.NormFloat64()))
					}
					class = append(class, k)
				}
				return features, class
			}
			training, class := draw(size.n)
			validation, validationClass := draw(size.n / 10)
			for b.Loop() {
				must.Get(eval.Transferred(b.Context(), size.width, size.classes, training, validation, validation, class,
					validationClass))(b)
			}
		})
	}
}
