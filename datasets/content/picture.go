package content

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // photographs
	_ "image/png"  // drawings
	"io"
	"path"
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // photographs of the web
)

// extensions are those of the files that Picture decodes, in lower case.
var extensions = []string{".jpg", ".jpeg", ".png", ".webp"}

// IsPicture tells by the ending of its name whether a file is a picture, in whatever case.
func IsPicture(name string) bool { return slices.Contains(extensions, strings.ToLower(path.Ext(name))) }

// mostPixels bounds an image, by what its header says, before memory is taken for it. It is far above any photograph's.
const mostPixels = 1 << 26

// longestPicture bounds the file of a picture, in bytes: no format takes more than eight a pixel.
const longestPicture = 8 * mostPixels

// Decode decodes a JPEG, PNG or WebP. The error says what to do.
func Decode(r io.Reader) (image.Image, error) {
	const damaged = "the file is damaged, get it again"
	var head bytes.Buffer
	config, _, err := image.DecodeConfig(io.TeeReader(r, &head))
	if err == nil && int64(config.Width)*int64(config.Height) > mostPixels {
		return nil, fmt.Errorf("the image is said to be %d x %d; use one of %d pixels at most", config.Width, config.Height, mostPixels)
	}
	img, _, err := image.Decode(bufio.NewReader(io.MultiReader(&head, r)))
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
	f, err := AtMost(name, longestPicture)
	if err != nil {
		return nil, fmt.Errorf("%w; put the file back", err)
	}
	defer f.Close()
	return Decode(f)
}
