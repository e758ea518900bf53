package content

import (
	"bufio"
	"fmt"
	"image"
	_ "image/jpeg" // photographs
	_ "image/png"  // drawings
	"io"
	"os"
	"path"
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // photographs of the web
)

// extensions are those of the files that Picture decodes, in lower case.
var extensions = []string{".jpg", ".jpeg", ".png", ".webp"}

// IsPicture tells by the ending of its name whether a file is a picture, in whatever case.
func IsPicture(name string) bool { return slices.Contains(extensions, strings.ToLower(path.Ext(name))) }

// Decode decodes a JPEG, PNG or WebP. The error says what to do.
func Decode(r io.Reader) (image.Image, error) {
	const damaged = "the file is damaged, get it again"
	img, _, err := image.Decode(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, damaged)
	}
	if img.Bounds().Empty() {
		return nil, fmt.Errorf("the image is %v; %s", img.Bounds(), damaged)
	}
	return img, nil
}

// Picture decodes the picture in a file, whatever its name. The error says what to do.
func Picture(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w; put the file back", err)
	}
	defer f.Close()
	return Decode(f)
}
