package content

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// webp is the smallest WebP: one lossless pixel.
const webp = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func TestIsPicture(t *testing.T) {
	for name, want := range map[string]bool{
		"a.jpg": true, "a.JPEG": true, "dir/a.b.png": true, "a.webp": true, "a.gif": false, "jpg": false, "a.jpg.txt": false,
		".jpg": true, "": false,
	} {
		if got := IsPicture(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

// A picture is decoded by its content, whatever its name; what cannot be decoded is an error that says what to do.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	small := image.NewGray(image.Rect(0, 0, 7, 5))
	var photo, drawing bytes.Buffer
	must.Do(t, jpeg.Encode(&photo, small, nil))
	must.Do(t, png.Encode(&drawing, small))
	for _, c := range []struct {
		name, content string
		bounds        image.Rectangle
		err           string
	}{
		{"a.jpg", photo.String(), small.Rect, ""},
		{"a.png", photo.String(), small.Rect, ""},
		{"b.png", drawing.String(), small.Rect, ""},
		{"c.webp", webp, image.Rect(0, 0, 1, 1), ""},
		{"half.jpg", photo.String()[:photo.Len()/2], image.Rectangle{}, "get it again"},
		{"none.png", "", image.Rectangle{}, "get it again"},
		{"gone.png", "", image.Rectangle{}, "put the file back"},
	} {
		path := filepath.Join(dir, c.name)
		if c.err != "put the file back" {
			must.Do(t, os.WriteFile(path, []byte(c.content), 0o644))
		}
		img, err := Picture(path)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got error %v, want one with %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || img.Bounds() != c.bounds {
			t.Errorf("%s: got %v (%v), want bounds %v", c.name, img, err, c.bounds)
		}
	}
}

// Whatever lies in a picture's place, it is an error that says what to do, or a picture of as many pixels as its header says, few enough.
func FuzzDecode(f *testing.F) {
	small := image.NewNRGBA(image.Rect(0, 0, 7, 5))
	small.SetNRGBA(3, 3, color.NRGBA{200, 100, 50, 128})
	var photo, grey, drawing, palette bytes.Buffer
	must.Do(f, jpeg.Encode(&photo, small, nil))
	must.Do(f, jpeg.Encode(&grey, image.NewGray(small.Rect), nil))
	must.Do(f, png.Encode(&drawing, small))
	must.Do(f, png.Encode(&palette, image.NewPaletted(small.Rect, color.Palette{color.Black, color.White})))
	lossy := "RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x000\x01\x00\x9d\x01*\x01\x00\x01\x00\x02\x004%\xa4\x00\x03p\x00\xfe\xfb\xfdP\x00"
	// A canvas of one pixel around an image of 16384 x 16384.
	canvas := "RIFF\x26\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00VP8L\x05\x00\x00\x00\x2f\xff\xff\xff\x0f\x00"
	for _, text := range []string{photo.String(), grey.String(), drawing.String(), palette.String(), webp, lossy, canvas,
		photo.String()[:photo.Len()/2], "GIF89a", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		config, _, err := image.DecodeConfig(bytes.NewReader(text))
		if pixels := int64(config.Width) * int64(config.Height); err == nil && pixels > 1<<20 && pixels <= mostPixels {
			return // it takes long
		}
		img, err := Decode(bytes.NewReader(text))
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), "get it again") && !strings.Contains(err.Error(), "pixels at most") {
				t.Errorf("%v says not what to do", err)
			}
		case img.Bounds().Empty() || img.Bounds().Dx() != config.Width || img.Bounds().Dy() != config.Height:
			t.Errorf("got %v of a header of %d x %d", img.Bounds(), config.Width, config.Height)
		default:
			for _, at := range []image.Point{img.Bounds().Min, img.Bounds().Max.Sub(image.Pt(1, 1))} {
				img.At(at.X, at.Y) // which a short buffer would make panic
			}
		}
	})
}
