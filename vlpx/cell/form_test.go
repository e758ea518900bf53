package cell

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// The form has every control with its first value, and what a person wrote is text, not HTML.
func TestFormHTML(t *testing.T) {
	f := Form{Name: "bench", id: "x1", Buttons: []Button{{"run", "Run <it>"}}, Controls: []Control{
		{Name: "batches", Label: "batches", Hint: "a \"hint\"\nin lines", Options: []string{"uniform", "a<b>"}, Value: "a<b>"},
		{Name: "quantile", Label: "quantile", Range: &Range{Min: 0, Max: 1, Step: 0.05}, Value: "0.8"},
	}}
	page, err := f.html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`data-vlpx="bench"`, `data-vlpx-control="batches"`, `<option selected>a&lt;b&gt;</option>`, `<option>uniform</option>`,
		`min="0" max="1" step="0.05" value="0.8"`, `data-vlpx-button="run"`, `Run &lt;it&gt;`, `title="a &#34;hint&#34;`, `address = "/vlpx/x1"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(page, "data-vlpx-status role", "role")))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, append(xml.HTMLAutoClose, "input"), xml.HTMLEntity
	depth := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements stay open", depth)
	}
}
