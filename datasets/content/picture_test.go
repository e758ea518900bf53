package content

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

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
	// The smallest WebP: one lossless pixel.
	webp := "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
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
