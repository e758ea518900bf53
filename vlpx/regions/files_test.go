package regions_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"
	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/regions"
)

// keyed is a set of pictures by their names, without pictures.
type keyed []string

func (k keyed) Name() string          { return "photos/test" }
func (k keyed) Len() int              { return len(k) }
func (k keyed) Captions(int) []string { return []string{"a picture"} }
func (k keyed) Key(i int) string      { return k[i] }
func (k keyed) Image(context.Context, int) (image.Image, error) {
	return nil, errors.New("nobody looks at pictures")
}

// arrays are those of a file.
type arrays map[string]*tensors.Tensor

func halves(x []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(float16.FromFloat32s(x...), dims...)
}

func floats(x []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

// detections are n regions of width features: feature k of region r is r + k/8, and region r is an r-th to the left.
func detections(n, width int) arrays {
	var features, boxes []float32
	for r := range n {
		for k := range width {
			features = append(features, float32(r)+float32(k)/8)
		}
		left := float32(r) / float32(2*n)
		boxes = append(boxes, left, 0.25, 1, 0.75, 1-left, 0.5)
	}
	return arrays{"features": halves(features, n, width), "norm_bb": floats(boxes, n, 6)}
}

func (a arrays) write(t testing.TB, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), numpy.ToNpzFile(a, path)))
}

// folder describes a folder of regions.
func folder(t testing.TB, dir string, count, width int) regions.Source {
	t.Helper()
	files := must.Get(regions.Folder(dir))(t)
	return regions.Source{Count: count, Width: width, Files: &files}
}

// A picture's file is found by its name, as it is, without its folder, and as UNITER names COCO's and Flickr30k's.
func TestFilesOfPictures(t *testing.T) {
	pictures := keyed{"photos/cat.jpg", "dogs/1.png", "COCO_val2014_000000000042.jpg", "36979.jpg", "10002456123.jpg"}
	dir := t.TempDir()
	for i, name := range []string{"photos/cat.npz", "1.npz", "coco_val2014_000000000042.npz", "flickr30k_000000036979.npz",
		"flickr30k_010002456123.npz"} {
		a := detections(3+i, 4)
		// of the first no name tells the number
		a["image_id"] = tensors.FromFlatDataAndDimensions([]int64{[]int64{7, 7, 42, 36979, 10002456123}[i]}, 1)
		if i == 1 {
			delete(a, "image_id")
		}
		a.write(t, dir, name)
	}
	source := folder(t, dir, 8, 4)
	f := opened(t, source, pictures)
	for i := range pictures {
		rows := rowsOf(t, f, source, i)
		for k, row := range rows {
			where := row[4:]
			if k >= 3+i {
				if slices.ContainsFunc(row, func(x float32) bool { return x != 0 }) {
					t.Fatalf("%s: row %d to spare is %v", pictures[i], k, row)
				}
				continue
			}
			left := float64(k) / float64(2*(3+i))
			for n, x := range []float64{left, 0.25, 1, 0.75, 1 - left, 0.5, (1 - left) / 2, 1} {
				if math.Abs(float64(where[n])-x) > 1e-6 || row[2] != float32(k)+0.25 {
					t.Fatalf("%s: row %d is %v", pictures[i], k, row)
				}
			}
		}
	}
	must.Fail(t, must.Err(source.Open(append(pictures, "cats/1.png"), nil)), "of two pictures", "two pictures of one file")
}

// UNITER's rule: those that are surer than .2, at least ten of them and at most as many as there are rows, the surest ones.
func TestSurestRegions(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		conf := rapid.SliceOfN(rapid.Float32Range(0, 1), 1, 40).Draw(r, "conf")
		classes := rapid.IntRange(0, 3).Draw(r, "classes") // 0: one number a region
		count := rapid.IntRange(1, 50).Draw(r, "rows")
		a := detections(len(conf), 2)
		if classes == 0 {
			a["conf"] = floats(conf, len(conf))
		} else {
			var of []float32
			for k, x := range conf {
				for c := range classes {
					y := x / 2
					if c == k%classes {
						y = x
					}
					of = append(of, y)
				}
			}
			a["conf"] = floats(of, len(conf), classes)
		}
		a.write(t, dir, "x.npz")
		source := folder(t, dir, count, 2)
		rows := rowsOf(t, opened(t, source, keyed{"x.jpg"}), source, 0)
		surer := 0
		for _, x := range conf {
			if x > 0.2 {
				surer++
			}
		}
		want := min(max(surer, 10), count, len(conf))
		last := float32(2)
		for k, row := range rows {
			if there := row[9] == 1; there != (k < want) {
				r.Fatalf("row %d of %v in %d rows: a region is there: %v, want %d", k, conf, count, there, want)
			}
			if k < want {
				if x := conf[int(row[0])]; x > last {
					r.Fatalf("row %d of %v: a region of %g behind one of %g", k, conf, x, last)
				} else {
					last = x
				}
			}
		}
	})
}

// All bytes of all files are in the hash.
func TestHashOfFiles(t *testing.T) {
	dir := t.TempDir()
	detections(3, 4).write(t, dir, "a.npz")
	before := folder(t, dir, 3, 4)
	if again := folder(t, dir, 3, 4); again.Files.Hash != before.Files.Hash {
		t.Error("another hash of the same files")
	}
	detections(3, 4).write(t, dir, "below/b.npz")
	if after := folder(t, dir, 3, 4); after.Files.Hash == before.Files.Hash {
		t.Error("the same hash with another file")
	}
	must.Fail(t, must.Err(before.Open(keyed{"a.jpg"}, nil)), "have changed", "changed since")
}

// What is wrong with a file is told with its name, and the picture has no regions then.
func TestFilesThatAreNone(t *testing.T) {
	with := func(name string, x *tensors.Tensor) arrays {
		a := detections(3, 4)
		if a[name] = x; x == nil {
			delete(a, name)
		}
		return a
	}
	whole := func(a arrays) []byte {
		var b bytes.Buffer
		must.Do(t, numpy.ToNpzWriter(a, &b))
		return b.Bytes()
	}
	raw := func(header string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w := must.Get(z.Create("features.npy"))(t)
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(header), header)
		must.Do(t, z.Close())
		return b.Bytes()
	}
	bomb := func(claims uint64) []byte {
		var packed, b bytes.Buffer
		c := must.Get(flate.NewWriter(&packed, flate.BestSpeed))(t)
		for range 65 {
			must.Get(c.Write(make([]byte, 1<<20)))(t)
		}
		must.Do(t, c.Close())
		z := zip.NewWriter(&b)
		w := must.Get(z.CreateRaw(&zip.FileHeader{Name: "features.npy", Method: zip.Deflate, UncompressedSize64: claims,
			CompressedSize64: uint64(packed.Len())}))(t)
		must.Get(w.Write(packed.Bytes()))(t)
		must.Do(t, z.Close())
		return b.Bytes()
	}
	good := whole(detections(3, 4))
	nan := float32(math.NaN())
	for want, file := range map[string][]byte{
		"or cut off":                           good[:len(good)/2],
		"zip: not a valid zip file":            []byte(strings.Repeat("no zip ", 30)),
		"make the file again":                  raw("{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 4), }"),
		"failed to read tensor data":           raw("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"),
		"its header tells of (90000, 90000)":   raw("{'descr': '<f4', 'fortran_order': False, 'shape': (90000, 90000), }"),
		"features takes 68157440 bytes":        bomb(65 << 20),
		"features: ":                           bomb(100), // which says that it is small
		"unsupported NumPy dtype":              raw("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }"),
		"failed to parse":                      raw("{}"),
		"features are [3 4] and norm_bb is []": whole(with("norm_bb", nil)),
		"neither features nor norm_bb":         whole(arrays{"boxes": floats([]float32{1}, 1)}),
		"norm_bb is [2 6]":                     whole(with("norm_bb", floats(make([]float32, 12), 2, 6))),
		"norm_bb is [3 4]":                     whole(with("norm_bb", floats(make([]float32, 12), 3, 4))),
		"norm_bb of region 1": whole(with("norm_bb",
			floats([]float32{0, 0, 1, 1, 1, 1, 10, 20, 30, 40, 20, 20, 0, 0, 1, 1, 1, 1}, 3, 6))),
		"norm_bb of region 2": whole(with("norm_bb",
			floats([]float32{0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, .5, .5, .4, .4, .4, .4}, 3, 6))),
		"feature 1 of region 2 is no number": whole(with("features", floats([]float32{9: nan, 11: 0}, 3, 4))),
		"set regions.width=5":                whole(detections(3, 5)),
		"it has no regions":                  whole(arrays{"features": floats(nil, 0, 4), "norm_bb": floats(nil, 0, 6)}),
		"conf is [2]":                        whole(with("conf", floats([]float32{1, 1}, 2))),
		"it is of image 7":                   whole(with("image_id", tensors.FromScalar(int64(7)))),
		"write float16 or float32":           whole(with("features", tensors.FromFlatDataAndDimensions(make([]uint8, 12), 3, 4))),
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "000000000042.npz")
		must.Do(t, os.WriteFile(path, file, 0o644))
		f := opened(t, folder(t, dir, 3, 4), keyed{"000000000042.jpg"})
		out := slices.Repeat([]float32{7}, f.Size())
		err := f.Features(t.Context(), 0, out)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want an error that names the file and says %q", err, want)
		}
		if slices.ContainsFunc(out, func(x float32) bool { return x != 0 }) {
			t.Errorf("%s: the picture has the regions %v", want, out)
		}
	}
	dir := t.TempDir()
	detections(3, 4).write(t, dir, "a.npz")
	source := folder(t, dir, 3, 4)
	f := opened(t, source, keyed{"a.jpg", "b.jpg"})
	must.Fail(t, f.Features(t.Context(), 1, make([]float32, f.Size())), "no file for b.jpg; it "+
		"is called b.npz", "no file")
	must.Fail(t, must.Err(source.Open(keyed{"b.jpg"}, nil)), "no file for any picture", "no files at all")
}

// BenchmarkFiles reads files of 36 regions of 2,048 features in float16.
func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	detections(36, 2048).write(b, dir, "a.npz")
	f := opened(b, folder(b, dir, 36, 2048), keyed{"a.jpg"})
	out := make([]float32, f.Size())
	for b.Loop() {
		must.Do(b, f.Features(b.Context(), 0, out))
	}
}
