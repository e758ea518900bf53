package plots_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
)

var update = flag.Bool("update", false, "write the golden images anew")

var nan = math.NaN()

// learning is a figure with all that a figure can hold: two panels, bands, a gap, a lone point, bars, references.
func learning() plots.Figure {
	epochs := []float64{1, 2, 3, 4, 5, 6}
	return plots.Figure{
		Title: "Learning", Note: "Means over three seeds; bands and error bars are one standard deviation.",
		Panels: []plots.Panel{
			plots.Lines{Title: "Image retrieval", XLabel: "epoch", YLabel: "R@1 (%)", Series: []plots.Series{
				{Name: "ALBEF", X: epochs, Mean: []float64{2, 8, 13, 17, 19, 20}, Std: []float64{.5, 1, 1, 1.5, 1, 1}},
				{Name: "GRIT-VLP", X: epochs, Mean: []float64{1, 9, nan, 20, 23, 25}, Std: []float64{.5, 1, 1, nan, 1, 1}},
				{Name: "FALCON", X: []float64{6}, Mean: []float64{27}, Std: []float64{2}},
			}},
			plots.Bars{Title: "After six epochs", YLabel: "recall (%)", Groups: []string{"R@1", "R@5"}, Reference: "paper",
				Series: []plots.BarSeries{
					{Name: "ALBEF", Mean: []float64{20, 41}, Std: []float64{1, 2}, Reference: []float64{55, 81}},
					{Name: "GRIT-VLP", Mean: []float64{25, nan}, Reference: []float64{60, nan}},
					{Name: "FALCON", Mean: []float64{27, 50}},
				}},
		},
	}
}

// sweep is a figure in one column: a logarithmic axis, names of groups in several lines, more bars than hatches.
func sweep() plots.Figure {
	sizes := []float64{480, 5664, 28320}
	bars := plots.Bars{Title: "Recall", YLabel: "recall (%)", Groups: []string{"TR R@1", "TR R@10", "IR R@1", "IR R@10", "IR R@1 false"}}
	for k, name := range []string{"ALBEF", "GRIT-VLP", "MAFA", "FALCON"} {
		s := plots.BarSeries{Name: name}
		for g := range bars.Groups {
			s.Mean, s.Std = append(s.Mean, float64(10+7*g+3*k)), append(s.Std, float64(1+k))
		}
		bars.Series = append(bars.Series, s)
	}
	return plots.Figure{Title: "Search space", Note: "One seed.", Width: plots.ColumnWidth, Known: []string{"FALCON", "MAFA"},
		Panels: []plots.Panel{
			plots.Lines{Title: "False negatives", XLabel: "search space (pairs)", YLabel: "share (%)", LogX: true, Series: []plots.Series{
				{Name: "GRIT-VLP", X: sizes, Mean: []float64{5, 9, 17}, Std: []float64{1, 1, 2}},
				{Name: "FALCON", X: sizes, Mean: []float64{5, 6, 6}},
			}}, bars,
		}}
}

// densities is a figure of long curves, of stages of one thing and of several things.
func densities() plots.Figure {
	bump := func(name string, mean, std float64) plots.Series {
		s := plots.Series{Name: name}
		for k := range 100 {
			x := float64(k) / 99
			s.X, s.Mean = append(s.X, x), append(s.Mean, math.Exp(-.5*math.Pow((x-mean)/std, 2))/std/math.Sqrt(2*math.Pi))
		}
		return s
	}
	epochs := []plots.Series{bump("epoch 1", .2, .1), bump("epoch 2", .3, .12), bump("epoch 3", .45, .15), bump("epoch 4", .7, .1)}
	return plots.Figure{
		Title: "Densities",
		Panels: []plots.Panel{
			plots.Lines{Title: "Image to text", XLabel: "similarity", YLabel: "density", Series: epochs, Ordered: true},
			plots.Lines{Title: "Text to image", XLabel: "similarity", YLabel: "density", Series: epochs[2:], Ordered: true},
			plots.Lines{Title: "Methods", XLabel: "quantile", YLabel: "density",
				Series: []plots.Series{bump("GRIT-VLP", .8, .1), bump("FALCON", .5, .2)}},
		},
	}
}

// ranking is a figure of slopes: crossing, with equal ranks at an end, with spread and without.
func ranking() plots.Figure {
	panel := func(title, right string, spread float64, means ...[2]float64) plots.Ranks {
		r := plots.Ranks{Title: title, Left: "own captions R@1", Right: right, YLabel: "mean rank (1 is best)"}
		for k, name := range []string{"InfoNCE", "ALBEF", "GRIT-VLP", "MAFA", "FALCON", "Con-D"} {
			r.Series = append(r.Series, plots.RankSeries{Name: name, Mean: means[k], Std: [2]float64{spread * float64(k), spread}})
		}
		return r
	}
	return plots.Figure{Title: "Two ways to rank", Note: "Means over three seeds.", Known: []string{"ALBEF", "GRIT-VLP"},
		Panels: []plots.Panel{
			panel("Re-ranked: τ = 0.47 ± 0.12", "AUC of judged pairs", .2,
				[2]float64{6, 3}, [2]float64{5, 3.3}, [2]float64{2.7, 5.3}, [2]float64{2.3, 4.7}, [2]float64{3, 1}, [2]float64{2, 3.7}),
			panel("Cosine: τ = -1", "R@1, judged accepted", 0,
				[2]float64{6, 1}, [2]float64{5, 2}, [2]float64{4, 3}, [2]float64{3, 4}, [2]float64{2, 5}, [2]float64{1, 6}),
			panel("Cosine: all alike", "mAP", nan,
				[2]float64{3.5, 1}, [2]float64{3.5, 2}, [2]float64{3.5, 6}, [2]float64{3.5, 6}, [2]float64{3.5, 6}, [2]float64{3.5, 3}),
		}}
}

// recorded are the drawings whose images are in testdata.
func recorded() map[string]plots.Drawing {
	return map[string]plots.Drawing{"learning": learning(), "sweep": sweep(), "densities": densities(), "pictures": picked(),
		"heat": weights(), "ranks": ranking(),
		"dots": many()}
}

// Another rasteriser rounds otherwise: on the average a channel may differ by half a level of 255, and a few pixels, fewer than the
// slightest text has, by more than 32. TestGoldenImagesSeeEveryText shows that this suffices.
const (
	meanTolerance  = 0.5
	pixelTolerance = 3
)

// TestGoldenImages compares the pixels of drawings with those of recorded ones.
func TestGoldenImages(t *testing.T) {
	for name, d := range recorded() {
		got := drawn(t, d)
		file := filepath.Join("testdata", name+".png")
		if *update {
			var b bytes.Buffer
			must.Do(t, png.Encode(&b, got))
			must.Do(t, os.WriteFile(file, b.Bytes(), 0o644))
		}
		text := must.Get(os.ReadFile(file))(t)
		want := decode(t, text)
		if got.Bounds() != want.Bounds() {
			t.Errorf("%s: got an image of %v, want %v", name, got.Bounds(), want.Bounds())
		} else if mean, pixels := difference(got, want); mean > meanTolerance || pixels > pixelTolerance {
			t.Errorf("%s: got an image that differs by %.2f of 255 on the average and much in %d pixels, want at most %v and %d; look "+
				"at it and, "+
				"if it is right, run with -update", name, mean, pixels, meanTolerance, pixelTolerance)
		}
	}
}

// TestGoldenImagesSeeEveryText: an image that lacks a single text, such as a title, a name of the legend or one number at an axis, is
// not taken for the recorded one.
func TestGoldenImagesSeeEveryText(t *testing.T) {
	for name, d := range recorded() {
		img := drawn(t, d)
		texts := placed(t, d, img.Bounds().Dy())
		if len(texts) < 5 {
			t.Errorf("%s: found %d texts only", name, len(texts))
		}
		for _, text := range texts {
			there, erased := image.NewRGBA(text.box), image.NewRGBA(text.box)
			draw.Draw(there, text.box, img, text.box.Min, draw.Src)
			draw.Draw(erased, text.box, image.NewUniform(img.At(text.box.Min.X, text.box.Min.Y)), image.Point{}, draw.Src)
			if _, pixels := difference(erased, there); pixels <= pixelTolerance {
				t.Errorf("%s: without %q at %v only %d pixels differ much; the comparison is blind", name, text.text, text.box, pixels)
			}
		}
	}
}

// placedText is a text with its place in an image of a pixel a point.
type placedText struct {
	text string
	box  image.Rectangle
}

// placed finds the texts of a drawing by its SVG, whose canvas has its origin below.
func placed(t *testing.T, d plots.Drawing, height int) (texts []placedText) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, d.SVG(&b))
	number := func(text string) float64 {
		x := must.Get(strconv.ParseFloat(text, 64))(t)
		return x
	}
	pattern := regexp.MustCompile(`(?s)<g transform="rotate\(90\)">|</g>|` +
		`<text textLength="([^"]+)" [^>]*?x="([^"]+)" y="([^"]+)"[^>]*font-size:(\d+)px[^>]*>([^<]*)</text>`)
	rotated := false
	for _, m := range pattern.FindAllStringSubmatch(b.String(), -1) {
		if m[1] == "" {
			rotated = strings.HasPrefix(m[0], "<g")
			continue
		}
		if strings.TrimSpace(m[5]) == "" {
			continue
		}
		width, x, y, size := number(m[1]), number(m[2]), -number(m[3]), number(m[4])
		low, high := y-.25*size, y+.8*size // of the letters around their base line
		left, right := x, x+width
		if rotated {
			left, right, low, high = -high, -low, x, x+width
		}
		box := image.Rect(int(left)-1, height-int(math.Ceil(high)), int(math.Ceil(right))+1, height-int(low))
		texts = append(texts, placedText{m[5], box})
	}
	return texts
}

// TestWidths: a figure fills a column or a page, with as many panels a row as can be read, and letters of one size.
func TestWidths(t *testing.T) {
	curve := plots.Lines{Title: "T", Series: []plots.Series{{Name: "s", X: []float64{1, 2}, Mean: []float64{1, 2}}}}
	bars := plots.Bars{Title: "T", Groups: make([]string, 7)}
	for k := range 13 {
		bars.Series = append(bars.Series, plots.BarSeries{Name: fmt.Sprint(k), Mean: make([]float64, 7)})
	}
	panels := func(p plots.Panel, n int) []plots.Panel { return slices.Repeat([]plots.Panel{p}, n) }
	for _, v := range []struct {
		name       string
		figure     plots.Figure
		width      vg.Length
		rows, cols int
	}{
		{"one", plots.Figure{Panels: panels(curve, 1)}, plots.ColumnWidth, 1, 1},
		{"three", plots.Figure{Panels: panels(curve, 3)}, plots.PageWidth, 1, 3},
		{"four", plots.Figure{Panels: panels(curve, 4)}, plots.PageWidth, 2, 2},
		{"three in a column", plots.Figure{Panels: panels(curve, 3), Width: plots.ColumnWidth}, plots.ColumnWidth, 3, 1},
		{"many bars", plots.Figure{Panels: panels(bars, 2)}, plots.PageWidth, 2, 1},
		{"few of many bars", plots.Figure{Panels: []plots.Panel{bars, curve}, Columns: 2}, plots.PageWidth, 2, 1},
	} {
		var b bytes.Buffer
		must.Do(t, v.figure.SVG(&b))
		if want := fmt.Sprintf(`<svg width="%gpt"`, v.width.Points()); !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %s in %.120s", v.name, want, b.String())
		}
		for _, size := range regexp.MustCompile(`font-size:(\d+)px`).FindAllStringSubmatch(b.String(), -1) {
			if !slices.Contains([]string{"7", "8", "9"}, size[1]) {
				t.Errorf("%s: letters of %s points", v.name, size[1])
			}
		}
		places := map[string]bool{} // of the headings, which begin the panels
		rows, cols := map[string]bool{}, map[string]bool{}
		for _, m := range regexp.MustCompile(`x="([^"]+)" y="([^"]+)"[^>]*>(?:\(\w\) )?T<`).FindAllStringSubmatch(b.String(), -1) {
			places[m[1]+" "+m[2]], cols[m[1]], rows[m[2]] = true, true, true
		}
		if len(places) != len(v.figure.Panels) || len(rows) != v.rows || len(cols) != v.cols {
			t.Errorf("%s: got panels at %v, want %d rows of %d", v.name, places, v.rows, v.cols)
		}
	}
}

// TestSVGTextsHaveTheirWidth: a reader without the font sees every text at the width that it was laid out with.
func TestSVGTextsHaveTheirWidth(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, learning().SVG(&b))
	if texts, widths := strings.Count(b.String(), "<text "), strings.Count(b.String(), `<text textLength="`); texts == 0 ||
		texts != widths {
		t.Errorf("%d of %d texts have a width", widths, texts)
	}
}

// drawn is the PNG of a drawing at 72 dots per inch: a pixel a point.
func drawn(t *testing.T, d plots.Drawing) image.Image {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, d.PNG(&b, 72))
	return decode(t, b.Bytes())
}

func decode(t *testing.T, text []byte) image.Image {
	t.Helper()
	img := must.Get(png.Decode(bytes.NewReader(text)))(t)
	return img
}

// difference is the mean absolute difference of the channels, in levels of 255, and the number of pixels of which a channel differs by
// more than 32.
func difference(a, b image.Image) (mean float64, pixels int) {
	var sum, count float64
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			most := 0.0
			for _, d := range []float64{float64(r) - float64(r2), float64(g) - float64(g2), float64(bl) - float64(bl2)} {
				d = math.Abs(d) / 257
				sum, most = sum+d, max(most, d)
				count++
			}
			if most > 32 {
				pixels++
			}
		}
	}
	return sum / count, pixels
}

// TestNothingTouchesTheEdge: whatever the labels, the outermost pixels stay white.
func TestNothingTouchesTheEdge(t *testing.T) {
	long := "a name that is much longer than what anybody would call a method"
	wide := learning()
	wide.Title = strings.Repeat(long+" ", 3)
	wide.Panels = []plots.Panel{
		plots.Lines{Title: long, XLabel: long, YLabel: long,
			Series: []plots.Series{{Name: long, X: []float64{0, 1e9}, Mean: []float64{-1e-7, 1e-7}}}},
		plots.Bars{Title: long, YLabel: long, Groups: []string{"recall among all", "recall among false", "mean average precision"},
			Series: []plots.BarSeries{{Name: "FALCON", Mean: []float64{-3, 1e6, nan}}}},
	}
	single := plots.Figure{Panels: wide.Panels[:1]}
	narrow := plots.Figure{Panels: learning().Panels, Columns: 1}
	crowded := picked()
	crowded.Title = wide.Title
	for r := range crowded.Rows {
		crowded.Rows[r].Name = strings.Repeat(long, 3)
		for c := range crowded.Rows[r].Pictures {
			crowded.Rows[r].Pictures[c].Caption = strings.ReplaceAll(strings.Repeat(long+" ", 9), "e m", "em")
			crowded.Rows[r].Pictures[c].Mark = plots.TruePair
		}
	}
	bare := plots.Pictures{Rows: []plots.PictureRow{
		{Pictures: []plots.Picture{{Image: picked().Rows[0].Pictures[0].Image, Mark: plots.TruePair}}}}}
	for name, d := range map[string]plots.Drawing{
		"learning": learning(), "wide": wide, "single": single, "narrow": narrow, "sweep": sweep(), "densities": densities(),
		"pictures": picked(), "crowded": crowded, "bare": bare, "dots": many(),
	} {
		img := drawn(t, d)
		size := img.Bounds()
		for y := range size.Max.Y {
			for x := range size.Max.X {
				if x > 0 && x < size.Max.X-1 && y > 0 && y < size.Max.Y-1 {
					continue
				}
				if r, g, bl, _ := img.At(x, y).RGBA(); r+g+bl != 3*0xffff {
					t.Fatalf("%s: something is clipped at %d, %d of %v", name, x, y, size.Max)
				}
			}
		}
	}
}

func TestSVGIsWellFormedAndHoldsItsText(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, learning().SVG(&b))
	all := words(t, b.Bytes())
	for _, want := range []string{"(a) Image retrieval", "(b) After six epochs", "GRIT-VLP", "R@1 (%)", "paper", "epoch"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if got := strings.Count(all, "GRIT-VLP"); got != 1 {
		t.Errorf("GRIT-VLP stands %d times, want once in the legend", got)
	}
	if !strings.Contains(b.String(), "font-weight:bold") {
		t.Error("titles are not bold")
	}
}

// words is the text of an SVG drawing.
func words(t *testing.T, svg []byte) string {
	t.Helper()
	var words []string
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return fmt.Sprint(words)
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, strings.TrimSpace(string(text)))
		}
	}
}

// TestPDF reads the page: its labels are texts in Windows-1252, its titles outlines, its colours those that a transparent one has at full
// opacity, and one font is in the file.
func TestPDF(t *testing.T) {
	d := learning()
	d.Note = "Größer → α"
	var b bytes.Buffer
	must.Do(t, d.PDF(&b))
	if got := b.String(); !strings.HasPrefix(got, "%PDF-") || !strings.Contains(got[len(got)-10:], "%%EOF") {
		t.Errorf("got %q ... %q, want a PDF file", got[:10], got[len(got)-10:])
	}
	if got := bytes.Count(b.Bytes(), []byte("/FontFile2")); got != 1 {
		t.Errorf("got %d fonts, want 1", got)
	}
	page := plots.PageOf(t, b.Bytes())
	var texts []string
	for _, m := range regexp.MustCompile(`\(((?:[^()\\]|\\.)*)\)Tj`).FindAllStringSubmatch(page, -1) {
		texts = append(texts, strings.NewReplacer(`\(`, "(", `\)`, ")").Replace(m[1]))
	}
	for _, want := range []string{"ALBEF", "GRIT-VLP", "FALCON", "paper", "epoch", "R@1 (%)", "recall (%)", "Gr\xf6\xdfer ",
		"R@5", "80"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no text %q in %q", want, texts)
		}
	}
	for _, outlined := range []string{"Learning", "(a) Image retrieval"} {
		if slices.Contains(texts, outlined) {
			t.Errorf("the title %q is a text in the letters of the labels", outlined)
		}
	}
	// The bands are of the curves' colours, #0072b2 and #d55e00 first.
	opacity := regexp.MustCompile(`/ca (0\.\d+)`).FindSubmatch(b.Bytes())
	if opacity == nil {
		t.Fatal("nothing is transparent")
	}
	transparent, colours := "", map[string]bool{}
	for _, m := range regexp.MustCompile(`(/GS\d+) gs|([\d.]+ [\d.]+ [\d.]+) rg`).FindAllStringSubmatch(page, -1) {
		switch {
		case m[2] != "":
			transparent = m[2]
		case m[1] != "/GS1":
			colours[transparent] = true
		}
	}
	if want := map[string]bool{"0.000 0.447 0.698": true, "0.835 0.369 0.000": true}; !maps.Equal(colours, want) {
		t.Errorf("the transparent colours are %v, want %v", colours, want)
	}
}

func TestFigureRejects(t *testing.T) {
	line := func(s ...plots.Series) plots.Panel { return plots.Lines{Title: "T", Series: s} }
	bar := func(s ...plots.BarSeries) plots.Panel {
		return plots.Bars{Title: "T", Groups: []string{"g"}, Series: s}
	}
	one := []float64{1}
	for _, v := range []struct {
		panel plots.Panel
		want  string
	}{
		{line(), `lines "T": no series`},
		{line(plots.Series{Name: "s"}), `lines "T": series "s": no point to draw among 0; leave the series out`},
		{line(plots.Series{Name: "s", X: one, Mean: []float64{nan}}), `no point to draw among 1`},
		{line(plots.Series{Name: "s", X: one, Mean: []float64{1, 2}}), "1 values of X, 2 of Mean, 0 of Std"},
		{line(plots.Series{Name: "s", X: one, Mean: one, Std: []float64{1, 2}}), "1 values of X, 1 of Mean, 2 of Std"},
		{line(plots.Series{Name: "s", X: []float64{2, 1}, Mean: []float64{1, 2}}), "X[1] = 1; X must be finite and ascend"},
		{line(plots.Series{Name: "s", X: []float64{nan}, Mean: one}), "X[0] = NaN"},
		{line(plots.Series{Name: "s", X: one, Mean: one, Std: []float64{-1}}), "Std[0] = -1"},
		{plots.Lines{Title: "T", LogX: true, Series: []plots.Series{{Name: "s", X: []float64{0, 1}, Mean: []float64{1, 2}}}},
			"X[0] = 0; a logarithmic axis"},
		{plots.Bars{Title: "T"}, `bars "T": 0 groups of 0 series`},
		{bar(plots.BarSeries{Name: "s"}), `bars "T": series "s": 0 values of Mean for 1 groups`},
		{bar(plots.BarSeries{Name: "s", Mean: one, Std: []float64{1, 2}}), "2 values of Std for 1 groups"},
		{bar(plots.BarSeries{Name: "s", Mean: one, Std: []float64{-1}}), "Std[0] = -1"},
		{bar(plots.BarSeries{Name: "s", Mean: one, Reference: one}), "say in Reference what they are"},
		{plots.Ranks{Title: "T"}, `ranks "T": no series`},
		{plots.Ranks{Title: "T", Series: []plots.RankSeries{{Name: "s", Mean: [2]float64{1, 2}}}},
			`series "s": rank 2 is 2; want one from 1 to 1`},
		{plots.Ranks{Title: "T", Series: []plots.RankSeries{{Name: "s", Mean: [2]float64{nan, 1}}}}, "rank 1 is NaN"},
		{plots.Ranks{Title: "T", Series: []plots.RankSeries{{Name: "s", Mean: [2]float64{1, 1}, Std: [2]float64{0, -1}}}}, "Std[1] = -1"},
	} {
		var b bytes.Buffer
		err := plots.Figure{Panels: []plots.Panel{v.panel}}.PNG(&b, 72)
		if err == nil || !strings.Contains(err.Error(), v.want) || b.Len() > 0 {
			t.Errorf("got %v and %d bytes, want %q and none", err, b.Len(), v.want)
		}
	}
	if err := (plots.Figure{}).SVG(io.Discard); err == nil {
		t.Error("a figure without panels: got no error")
	}
	if err := learning().PNG(io.Discard, -1); err == nil {
		t.Error("-1 dots per inch: got no error")
	}
}

var errFull = errors.New("disk full")

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestDrawingsPassWriteErrorsOn(t *testing.T) {
	for _, d := range []plots.Drawing{learning(), picked()} {
		for name, err := range map[string]error{"PNG": d.PNG(full{}, 72), "SVG": d.SVG(full{}), "PDF": d.PDF(full{})} {
			if !errors.Is(err, errFull) {
				t.Errorf("%T: %s: got %v, want %v", d, name, err, errFull)
			}
		}
	}
}
