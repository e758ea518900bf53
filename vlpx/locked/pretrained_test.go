package locked

import (
	"encoding/json"
	"image"
	_ "image/jpeg"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// published is the genuine ImageNet ViT-Ti/16 with what PyTorch makes of it.
type published struct {
	Size128, Size224 struct {
		Top10       []int
		Logits      []float64 `json:"top10_logits"`
		Class       []float64 `json:"cls"` // its first numbers
		Token5      []float64
		SumOfTokens float64 `json:"sum_of_tokens"`
	}
	Photos []struct {
		File string
		Top5 []int
		P    []float64
	}
}

// pretrained is a file of $VLPX_DATA; without it the test is skipped.
func pretrained(t *testing.T, name string) string {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA is not set; it names the folder with " + name)
	}
	return filepath.Join(root, name)
}

func reference(t *testing.T) (r published) {
	text := must.Get(os.ReadFile(pretrained(t, "pretrained/vit-tiny-patch16-224/reference.json")))(t)
	var bySize map[string]json.RawMessage
	must.Do(t, json.Unmarshal(text, &bySize))
	for key, into := range map[string]any{"224": &r.Size224, "128": &r.Size128, "photos": &r.Photos} {
		must.Do(t, json.Unmarshal(bySize[key], into))
	}
	return r
}

// classifier gives tokens and the logits of the head, which no table of ours reads, for pixels [batch, side, side, 3].
func classifier(t *testing.T, side int) func(pixels []float32) (tokens, logits []float32) {
	backend := enginetest.Open(t, "onnx:cpu")
	path := pretrained(t, "pretrained/vit-tiny-patch16-224/model.fp16.safetensors")
	source := must.Get(weights.Find(path))(t)
	e := Encoder{Weights: source, Image: side, Side: side / 16, Pixels: transform.Symmetric}
	n := must.Get(e.open(backend))(t)
	t.Cleanup(n.close)
	file := must.Get(weights.Open(path))(t)
	defer file.Close()
	head := weights.Values{}
	for name, variable := range map[string]string{"head.weight": "/head/weights", "head.bias": "/head/bias"} {
		head[variable] = must.Get(file.Tensor(name))(t)
	}
	must.Do(t, head.Put(n.store, dtypes.Float32))
	classify := must.Get(model.NewExec(backend, n.store, func(s *model.Scope, in []*Node) *Node {
		matrix := s.At("head").GetVariable("weights").NodeValue(in[0].Graph()) // [classes, width], as PyTorch has it
		return Add(MatMul(in[0], Transpose(matrix, 0, 1)), InsertAxes(s.At("head").GetVariable(encoder.Bias).NodeValue(in[0].Graph()), 0))
	}))(t)
	t.Cleanup(classify.Finalize)
	return func(pixels []float32) (tokens, logits []float32) {
		tokens = must.Get(n.encode(pixels))(t)
		width, each := n.vit.Width, e.Tokens()*n.vit.Width
		var class []float32
		for at := 0; at < len(tokens); at += each {
			class = append(class, tokens[at:at+width]...)
		}
		out := must.Get(framework.Call(classify, framework.Rows(class, width)))(t)
		defer framework.Release(out)
		logits = must.Get(tensors.CopyFlatData[float32](out[0]))(t)
		return tokens, logits
	}
}

// best are the classes with the highest logits.
func best(logits []float32, n int) []int {
	classes := make([]int, len(logits))
	for c := range classes {
		classes[c] = c
	}
	slices.SortFunc(classes, func(a, b int) int { return int(math.Copysign(1, float64(logits[b]-logits[a]))) })
	return classes[:n]
}

// At its own size and, with the positions brought to it, at 128 pixels the ViT gives what PyTorch gives in float64, within 1e-4 of the
// numbers' size.
func TestPublishedViT(t *testing.T) {
	r := reference(t)
	for side, want := range map[int]struct {
		top                   []int
		logits, class, token5 []float64
		sum                   float64
	}{
		224: {r.Size224.Top10, r.Size224.Logits, r.Size224.Class, r.Size224.Token5, r.Size224.SumOfTokens},
		128: {r.Size128.Top10, r.Size128.Logits, r.Size128.Class, r.Size128.Token5, r.Size128.SumOfTokens},
	} {
		pixels := make([]float32, 0, 3*side*side)
		for y := range side {
			for x := range side {
				for c := range 3 {
					pixels = append(pixels,
						float32(math.Sin(0.05*float64(c+1)*float64(x)+0.03*float64(y))*math.Cos(0.02*float64(3-c)*float64(y))))
				}
			}
		}
		tokens, logits := classifier(t, side)(pixels)
		if got := best(logits, len(want.top)); !slices.Equal(got, want.top) {
			t.Errorf("%d pixels: best classes %v, want %v", side, got, want.top)
		}
		near := func(what string, got []float32, want []float64) {
			for k, x := range want {
				if math.Abs(float64(got[k])-x) > 1e-4*math.Max(1, math.Abs(x)) {
					t.Errorf("%d pixels: %s %d: got %v, want %v", side, what, k, got[k], x)
				}
			}
		}
		for k, c := range want.top {
			near("logit", logits[c:], want.logits[k:k+1])
		}
		width := len(tokens) / (1 + (side/16)*(side/16))
		near("class token", tokens, want.class)
		near("token 5", tokens[5*width:], want.token5)
		var sum, terms float64
		for _, x := range tokens {
			sum += float64(x)
			terms += math.Abs(float64(x))
		}
		if math.Abs(sum-want.sum) > 1e-5*terms {
			t.Errorf("%d pixels: sum of tokens: got %v, want %v", side, sum, want.sum)
		}
	}
}

// Photographs get the classes that PyTorch gives them. Its resampling differs in rounding, which moves a probability: where one class
// has more than half it must be the first, and the first of ours must be among PyTorch's five.
func TestPhotographsClasses(t *testing.T) {
	classify := classifier(t, 224)
	for _, photo := range reference(t).Photos {
		file := must.Get(os.Open(pretrained(t, "coco/images/"+photo.File)))(t)
		img, _, err := image.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		side := min(b.Dx(), b.Dy())
		left, top := b.Min.X+(b.Dx()-side)/2, b.Min.Y+(b.Dy()-side)/2
		pixels := make([]float32, 3*224*224)
		transform.Symmetric.Normalise(transform.Resize(img, image.Rect(left, top, left+side, top+side), 224), pixels)
		_, logits := classify(pixels)
		first := best(logits, 1)[0]
		if !slices.Contains(photo.Top5, first) || photo.P[0] > .5 && first != photo.Top5[0] {
			t.Errorf("%s: got class %d, want one of %v with %v", photo.File, first, photo.Top5, photo.P)
		}
	}
}
