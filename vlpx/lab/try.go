package lab

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Trial is what a contrast gives of a few embeddings.
type Trial struct {
	Contrast        string  // its type
	Loss            float64 // in nats
	Temperature     float64
	Similarities    [][]float32   // Contrasted.I2T, images in rows
	ByImage, ByText [][]float32   // the loss's gradients by the embeddings, as they were given
	Reported        field.Numbers // by names of its own
}

// Try gives a contrast the embeddings of images and of their captions, a row a pair. They are normalised first, as a framework does. The
// temperature is the scale's, momentum and reference models agree with the model, and it is the end of the first epoch. The relation is
// that each caption is true of its own image alone.
func Try(contrast negative.Contrast, image, text [][]float32, o Options) (t *Trial, err error) {
	if contrast == nil || len(image) < 2 || len(image) != len(text) {
		return nil, fmt.Errorf("%d images and %d captions; give a contrast and as many of both, two at least", len(image), len(text))
	}
	for i, row := range append(append([][]float32{}, image...), text...) {
		if len(row) == 0 || len(row) != len(image[0]) {
			return nil, fmt.Errorf("row %d of images and captions has %d numbers, and row 0 has %d; give all as many", i, len(row), len(image[0]))
		}
	}
	s, err := o.scale()
	if err != nil {
		return nil, err
	}
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	n, dim := len(image), len(image[0])
	t = &Trial{Contrast: fmt.Sprintf("%T", contrast), Temperature: cmp.Or(s.Temperature, negative.PublishedTemperature)}
	store, m := model.NewStore(), negative.Method{Contrast: contrast}.WithDefaults()
	var reports *field.Reports
	err = guard(func() error {
		if err := m.Validate(); err != nil {
			return err
		}
		start := negative.Start{Pairs: n, BatchSize: n, Dim: dim, Epochs: 2, Anchors: []string{negative.ImageAnchors, negative.TextAnchors}}
		if err := m.DeclareState(store.Scope(framework.State), start); err != nil {
			return err
		}
		exec, err := model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
			g := in[0].Graph()
			numbers := make([]int32, n)
			for i := range numbers {
				numbers[i] = int32(i)
			}
			progress, pairs := OnesLike(in[2]), Const(g, numbers)
			own := ConvertDType(Diagonal(g, n), in[0].DType())
			fields := field.Nodes{field.Progress: progress, field.Index: pairs, field.Items: pairs, field.Truth: own, field.Known: OnesLike(own)}
			reports = field.NewReports(fields)
			u, w := framework.Normalise(in[0]), framework.Normalise(in[1])
			z := m.Contrasted(negative.Features{
				Image: u, Text: w, Temperature: in[2], Progress: progress, State: s.Store().Scope(framework.State), Items: pairs, Fields: fields,
				MomentumImage: StopGradient(u), MomentumText: StopGradient(w), ReferenceImage: StopGradient(u), ReferenceText: StopGradient(w),
				Reporter: reports.By(field.Part("contrast", contrast)),
			})
			gradients := Gradient(z.Loss, in[0], in[1])
			out := []*Node{z.Loss, z.I2T, gradients[0], gradients[1]}
			if sums := reports.Sums(); sums != nil {
				out = append(out, sums)
			}
			return out
		})
		if err != nil {
			return err
		}
		out, err := exec.Call(image, text, float32(t.Temperature))
		if err != nil {
			return err
		}
		t.Loss = float64(tensors.ToScalar[float32](out[0]))
		t.Similarities, t.ByImage, t.ByText = rowsOf(out[1]), rowsOf(out[2]), rowsOf(out[3])
		t.Reported, _ = reports.Numbers()
		for k := range t.Reported {
			sums := rowsOf(out[4])[k]
			t.Reported[k].Sum, t.Reported[k].Of = float64(sums[0]), float64(sums[1])
		}
		return nil
	})
	return t, err
}

// rowsOf are the rows of a matrix.
func rowsOf(x *tensors.Tensor) [][]float32 { return x.Value().([][]float32) }

// Table lays the trial out.
func (t *Trial) Table() tables.Table {
	table := tables.Table{
		Title: fmt.Sprintf("%s: a loss of %.4f nats", t.Contrast, t.Loss), Heading: "pair",
		Note: fmt.Sprintf("At a temperature of %.4g, which Set: \"temperature=.1\" changes. The embeddings are normalised first; gradients are "+
			"by the numbers that were given.", t.Temperature),
		Columns: []tables.Column{{Name: "similarities of the image"}, {Name: "gradient of the image"}, {Name: "gradient of the caption"}},
	}
	for i := range t.ByImage {
		table.Rows = append(table.Rows, words(fmt.Sprint(i), vector(t.Similarities[i]), vector(t.ByImage[i]), vector(t.ByText[i])))
	}
	for _, n := range t.Reported {
		if v, ok := n.Value(); ok {
			table.Note += fmt.Sprintf(" It reports %s: %.4g%s.", n.Name, v, strings.TrimRight(" "+n.Unit, " "))
		}
	}
	return table
}

// vector is a row of numbers.
func vector(row []float32) string {
	var all []string
	for _, x := range row {
		all = append(all, fmt.Sprintf("%.4f", x))
	}
	return strings.Join(all, " ")
}

// HTML writes it for a page.
func (t *Trial) HTML(w io.Writer) error { return t.Table().HTML(w) }

// Text writes it for a terminal.
func (t *Trial) Text(w io.Writer, terminal tables.Terminal) error { return t.Table().Text(w, terminal) }
