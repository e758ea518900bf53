package plots

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
)

// pdfEnd is how vgpdf ends a file: how many objects there are, where it begins, the number of its information, and where its table of
// objects is.
var pdfEnd = regexp.MustCompile(`trailer\n<<\n/Size (\d+)\n/Root (\d+) 0 R\n/Info (\d+) 0 R\n>>\nstartxref\n(\d+)\n%%EOF\n$`)

// withTitle is a PDF file that says its title, which vgpdf has no door for: new information stands behind the file, as PDF lets a file be
// changed (ISO 32000-1, 7.5.6).
func withTitle(pdf []byte, title string) ([]byte, error) {
	if title == "" {
		return pdf, nil
	}
	end := pdfEnd.FindSubmatch(pdf)
	if end == nil {
		return nil, errors.New("the PDF does not end as expected, and cannot be given a title")
	}
	size, root, info, table := end[1], end[2], end[3], end[4]
	var hex strings.Builder
	for _, unit := range utf16.Encode([]rune(title)) {
		fmt.Fprintf(&hex, "%04X", unit)
	}
	b := bytes.NewBuffer(bytes.Clone(pdf))
	at := b.Len()
	fmt.Fprintf(b, "%s 0 obj\n<< /Title <FEFF%s> /Producer (vlpx) >>\nendobj\n", info, hex.String())
	changed := b.Len()
	fmt.Fprintf(b, "xref\n%s 1\n%010d 00000 n \ntrailer\n<<\n/Size %s\n/Root %s 0 R\n/Info %s 0 R\n/Prev %s\n>>\nstartxref\n%d\n%%%%EOF\n",
		info, at, size, root, info, table, changed)
	return b.Bytes(), nil
}
