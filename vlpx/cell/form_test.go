package cell

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// The form has every control with its first value, and what a person wrote is text, not HTML.
func TestFormHTML(t *testing.T) {
	f := Form{Name: "bench", id: "x1", Buttons: []Button{{"run", "Run <it>"}}, Controls: []Control{
		{Name: "batches", Label: "batches", Hint: "a \"hint\"\nin lines", Options: []string{"uniform", "a<b>"}, Value: "a<b>"},
		{Name: "quantile", Label: "quantile", Range: &Range{Min: 0, Max: 1, Step: 0.05}, Value: "0.8"},
	}}
	page := must.Get(f.html())(t)
	for _, want := range []string{
		`data-vlpx="bench"`, `data-vlpx-control="batches"`, `<option selected>a&lt;b&gt;</option>`, `<option>uniform</option>`,
		`min="0" max="1" step="0.05" value="0.8"`, `data-vlpx-button="run"`, `Run &lt;it&gt;`, `title="a &#34;hint&#34;`,
		`address = "/vlpx/x1"`,
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

// What a person does comes out in order and none of it is lost, however late it is taken; a control's latest value stands for those
// before it.
func TestEventsWait(t *testing.T) {
	var f Form
	f.listen()
	var want []Event
	for k := range 200 {
		for _, value := range []string{"old", fmt.Sprint(k)} {
			f.take(Event{Name: fmt.Sprint(k % 2), Value: value})
		}
		want = append(want, Event{Name: fmt.Sprint(k % 2), Value: fmt.Sprint(k)})
	}
	// The first may be on its way before its latest value is there.
	first := <-f.Events()
	if first.Value == "old" {
		first = <-f.Events()
	}
	got := []Event{first}
	for len(got) < len(want) {
		got = append(got, <-f.Events())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	close(f.closed) // as Close does; what comes later has no reader, and does not wait for one
	f.take(Event{Name: "late"})
}

func checked() *Form {
	return &Form{Buttons: []Button{{Name: "run"}}, Controls: []Control{
		{Name: "part", Options: []string{"a", "b"}}, {Name: "quantile", Range: &Range{Min: 0, Max: 1, Step: 0.05}},
	}}
}

func TestCheck(t *testing.T) {
	for e, want := range map[Event]string{
		{"run", ""}: "", {"part", "b"}: "", {"quantile", "0.5"}: "", {"quantile", "1"}: "",
		{"stop", ""}:          `no control "stop"`,
		{"", ""}:              `no control ""`,
		{"part", "c"}:         `part: no choice "c"`,
		{"quantile", "1.01"}:  `quantile: "1.01" is no number from 0 to 1`,
		{"quantile", "NaN"}:   `quantile: "NaN" is no number from 0 to 1`,
		{"quantile", "half"}:  `quantile: "half" is no number from 0 to 1`,
		{"quantile", "-1e-9"}: `quantile: "-1e-9" is no number from 0 to 1`,
	} {
		got := ""
		if err := checked().Check(e); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", e, got, want)
		}
	}
}

// Whatever a page sends is an event, and one that passes the form's check is of a control or button of it and has a value of it.
func FuzzHeard(f *testing.F) {
	for _, text := range []string{
		`{"name": "ready"}`, `{"name": "part", "value": "a"}`, `{"name": "quantile", "value": ".5"}`,
		`{"name": "quantile", "value": "Inf"}`, `{"name": 3}`,
		"", "null", `{"name": ""}`, `{"name": "run", "value": "part"}`, `run`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := heard(text)
		var sent struct{ Name, Value string }
		if json.Unmarshal([]byte(text), &sent) == nil && sent.Name != "" {
			if e != (Event{sent.Name, sent.Value}) {
				t.Fatalf("%q: got %+v", text, e)
			}
		} else if e != (Event{Name: text}) {
			t.Fatalf("%q: got %+v, want all of it told as a mistake", text, e)
		}
		if checked().Check(e) != nil {
			return
		}
		v, err := strconv.ParseFloat(e.Value, 64)
		if e.Name != "run" && !(e.Name == "part" && (e.Value == "a" || e.Value == "b")) &&
			!(e.Name == "quantile" && err == nil && v >= 0 && v <= 1) {
			t.Fatalf("%q: %+v passed", text, e)
		}
	})
}

// A kernel that does not take what is shown is told, and does not keep the cell for ever.
func TestWithin(t *testing.T) {
	if err := within(time.Minute, func() {}); err != nil {
		t.Errorf("taken at once: %v", err)
	}
	never := make(chan struct{})
	defer close(never)
	must.Fail(t, within(time.Millisecond, func() { <-never }), "within 1ms", "never taken")
}
