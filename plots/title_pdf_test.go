package plots

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"io"
	"regexp"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// A PDF says its title in information that its last table of objects points to.
func TestPDFHasATitle(t *testing.T) {
	p := Pictures{Title: "Größe λ", Rows: []PictureRow{{Pictures: []Picture{{Image: image.NewGray(image.Rect(0, 0, 8, 8))}}}}}
	var b bytes.Buffer
	must.Do(t, p.PDF(&b))
	pdf := b.String()
	var table, object int
	must.Get(fmt.Sscanf(pdf[strings.LastIndex(pdf, "startxref\n")+len("startxref\n"):], "%d", &table))(t)
	var number, count, at int
	must.Get(fmt.Sscanf(pdf[table:], "xref\n%d %d\n%d", &number, &count, &at))(t)
	must.Get(fmt.Sscanf(pdf[at:], "%d 0 obj", &object))(t)
	if want := "/Title <FEFF0047007200F600DF0065002003BB>"; object != number || count != 1 || !strings.Contains(pdf[at:table], want) {
		t.Errorf("got object %d, want %d with %s in it: %s", object, number, want, pdf[at:table])
	}
	must.Fail(t, must.Err(withTitle([]byte("no PDF"), "x")), "cannot be given a title")
}

// PageOf is the content of a PDF file's page.
func PageOf(t *testing.T, file []byte) string {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(file, -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue
		}
		if text, err := io.ReadAll(z); err == nil && bytes.Contains(text, []byte(" cm\n")) {
			return string(text)
		}
	}
	t.Fatal("no page")
	return ""
}
