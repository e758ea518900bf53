package regions

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/gomlx/core/tensors/numpy"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/datasets/content"
)

// detected is what a file of regions has.
type detected struct {
	width    int       // features of a region
	features []float64 // [regions, width]
	boxes    []float64 // x1, y1, x2, y2, w, h as shares of the picture's width and height, [regions, 6]
	sureness []float64 // of each region that it is something, [regions]; nil where the file does not tell
	image    string    // the number of the picture, "" where the file does not tell
}

// regions is how many there are.
func (d detected) regions() int { return len(d.boxes) / sides }

const sides = 6 // numbers of a box

// surest are the regions that count, by UNITER's rule, the surest first; where a file does not tell how sure they are, the first ones.
func (d detected) surest(most int) []int {
	order := make([]int, d.regions())
	for k := range order {
		order[k] = k
	}
	if d.sureness == nil {
		return order[:min(most, len(order))]
	}
	sort.SliceStable(order, func(a, b int) bool { return d.sureness[order[a]] > d.sureness[order[b]] })
	count := 0
	for _, x := range d.sureness {
		if x > sure {
			count++
		}
	}
	return order[:min(max(count, fewest), most, len(order))]
}

// largest is how many bytes an array of a file may take: 100 regions of 2,048 features take 0.8 MB. In memory they take up to six times
// as many.
const largest = 1 << 26

// readNPZ reads a file of regions. Arrays that it does not know stay unread.
func readNPZ(name string) (detected, error) {
	var d detected
	packed, err := content.Regular(name)
	if err != nil {
		return d, err
	}
	defer packed.Close()
	info, err := packed.Stat()
	if err != nil {
		return d, err
	}
	file, err := zip.NewReader(packed, info.Size())
	if err != nil {
		return d, fmt.Errorf("%s: %w: it is no npz file, or cut off; make it again", name, err)
	}
	features, shape, err := array(file, "features")
	if err != nil {
		return d, err
	}
	boxes, of, err := array(file, "norm_bb")
	switch {
	case err != nil:
		return d, err
	case features == nil && boxes == nil:
		return d, errors.New("neither features nor norm_bb is in it; write both, as docs/REGIONS.md says")
	case len(shape) != 2 || len(of) != 2 || shape[0] != of[0] || of[1] != 6 && of[1] != 7:
		return d, fmt.Errorf("features are %v and norm_bb is %v; write [n, width] and [n, 6]", shape, of)
	}
	d.width, d.features = shape[1], features
	for k := range of[0] {
		b := boxes[k*of[1] : k*of[1]+sides]
		if !shares(b) {
			return d, fmt.Errorf("norm_bb of region %d is %v; write x1, y1, x2, y2, w, h, those across by the picture's width and those "+
				"down by its height", k, b)
		}
		d.boxes = append(d.boxes, b...)
	}
	if at := slices.IndexFunc(features, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); at >= 0 {
		return d, fmt.Errorf("feature %d of region %d is no number; make the file again", at%d.width, at/d.width)
	}
	if d.sureness, err = sureness(file, d.regions()); err != nil {
		return d, err
	}
	number, _, err := array(file, "image_id")
	if err == nil && len(number) == 1 { // a name in the place of a number stays unread
		d.image = fmt.Sprintf("%.0f", number[0])
	}
	return d, nil
}

// shares tells whether a box lies in its picture and has the width and height of its sides, but for rounding to float16.
func shares(b []float64) bool {
	const tolerance = 1e-2
	for _, x := range b {
		if !(x >= -tolerance && x <= 1+tolerance) {
			return false
		}
	}
	return math.Abs(b[2]-b[0]-b[4]) < tolerance && math.Abs(b[3]-b[1]-b[5]) < tolerance
}

// sureness is conf, [regions], or the largest of each row of [regions, classes].
func sureness(file *zip.Reader, regions int) ([]float64, error) {
	conf, shape, err := array(file, "conf")
	switch {
	case err != nil || conf == nil:
		return nil, err
	case len(shape) == 1 && shape[0] == regions:
		return conf, nil
	case len(shape) != 2 || shape[0] != regions || shape[1] < 1:
		return nil, fmt.Errorf("conf is %v for %d regions; write [n] or [n, classes]", shape, regions)
	}
	var best []float64
	for k := range regions {
		best = append(best, slices.Max(conf[k*shape[1]:(k+1)*shape[1]]))
	}
	return best, nil
}

// array reads an array of numbers, with its shape; nil where there is none of the name.
func array(file *zip.Reader, name string) (numbers []float64, shape []int, err error) {
	at := slices.IndexFunc(file.File, func(f *zip.File) bool { return f.Name == name+".npy" })
	if at < 0 {
		return nil, nil, nil
	}
	entry := file.File[at]
	if entry.UncompressedSize64 > largest {
		return nil, nil, fmt.Errorf("%s takes %d bytes; regions of a picture take less than %d", name, entry.UncompressedSize64, largest)
	}
	r, err := entry.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w; make the file again", name, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, largest))
	if err != nil {
		return nil, nil, content.CutOff(name, err)
	}
	if numbers, shape, err = read(text); err != nil {
		return nil, nil, fmt.Errorf("%s: %w; make the file again", name, err)
	}
	return numbers, shape, nil
}

// read is parse with an error where it panics: what a header says may be wrong, and the library panics where it makes no sense.
func read(text []byte) (numbers []float64, shape []int, err error) {
	panicked := exceptions.TryCatch[error](func() { numbers, shape, err = parse(text) })
	return numbers, shape, errors.Join(err, panicked)
}

// parse reads the npy format.
func parse(text []byte) ([]float64, []int, error) {
	if err := fits(text); err != nil {
		return nil, nil, err
	}
	t, err := numpy.FromNpyReader(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	defer t.FinalizeAll()
	var numbers []float64
	t.ConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []float16.Float16:
			numbers = make([]float64, len(flat))
			for k, x := range flat {
				numbers[k] = float64(x.Float32())
			}
		case []float32:
			numbers = wide(flat)
		case []float64:
			numbers = wide(flat)
		case []int32:
			numbers = wide(flat)
		case []int64:
			numbers = wide(flat)
		default:
			err = fmt.Errorf("it is an array of %s; write float16 or float32", t.DType())
		}
	})
	return numbers, slices.Clone(t.Shape().Dimensions), err
}

// ofShape and ofType are the shape and the bytes of a number in the header of the npy format, as the library finds them.
var (
	ofShape = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
	ofType  = regexp.MustCompile(`'descr'\s*:\s*'[^']*?([0-9]+)'`)
)

// fits refuses an array whose header tells of more numbers than there are bytes for, before memory is taken for them.
func fits(text []byte) error {
	shape := ofShape.FindSubmatch(text)
	if shape == nil {
		return nil // the library says what is wrong
	}
	bytes := 1.
	if size := ofType.FindSubmatch(text); size != nil {
		n, err := strconv.ParseFloat(string(size[1]), 64)
		if err != nil {
			return err
		}
		bytes = max(n, 1)
	}
	for side := range strings.SplitSeq(string(shape[1]), ",") {
		if side = strings.TrimSpace(side); side == "" {
			continue
		}
		n, err := strconv.Atoi(side)
		if err != nil || n < 0 {
			return fmt.Errorf("its header tells of (%s) numbers, of which %s is no size", shape[1], side)
		}
		bytes *= float64(n)
	}
	if bytes > float64(len(text)) {
		return fmt.Errorf("its header tells of (%s) numbers, and it has %d bytes", shape[1], len(text))
	}
	return nil
}

func wide[T float32 | float64 | int32 | int64](from []T) []float64 {
	to := make([]float64, len(from))
	for k, x := range from {
		to[k] = float64(x)
	}
	return to
}
