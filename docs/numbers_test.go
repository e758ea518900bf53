package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/paper"
)

// stated is a number in running prose that is made of shipped results: a mark with what it is of, the number, and an empty mark.
var stated = regexp.MustCompile(`<!-- number (\{.*?\}) -->(.*?)<!-- -->`)

// quantity is what a mark of a number asks for: a claim's difference with its interval and what is concluded of it, or else a row's mean in
// a column.
type quantity struct {
	Of     string // an artifact
	Data   string // "scenes" if empty
	Claim  string
	Row    string
	Less   string // the row that is taken off it, if any
	Column string // "seeds" are the row's
	Digits int    // behind the point
}

// Numbers in running prose that have a mark are those of the shipped results. go test ./docs -run TestNumbers -update writes them.
func TestNumbers(t *testing.T) {
	references := must.Get(paper.References())(t)
	found := 0
	for _, page := range append(must.Get(filepath.Glob("*.md"))(t), "../README.md") {
		text := string(must.Get(os.ReadFile(page))(t))
		for k, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "<!-- number") {
				t.Errorf("%s:%d begins with the mark of a number, which ends its paragraph; begin with a word", page, k+1)
			}
		}
		current := stated.ReplaceAllStringFunc(text, func(old string) string {
			found++
			mark := stated.FindStringSubmatch(old)[1]
			number, err := numbered(references, mark, t.TempDir())
			if err != nil {
				t.Errorf("%s: %s: %v", page, mark, err)
				return old
			}
			return fmt.Sprintf("<!-- number %s -->%s<!-- -->", mark, number)
		})
		if n := strings.Count(text, "<!-- number"); n != len(stated.FindAllString(text, -1)) {
			t.Errorf("%s: %d marks of numbers, of which some have no end; it is <!-- -->, in the same line", page, n)
		}
		if current == text {
			continue
		}
		if !*update {
			t.Errorf("%s has a number that is not of the shipped results; run go test ./docs -run TestNumbers -update", page)
		} else if err := os.WriteFile(page, []byte(current), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("no document has a mark of a number")
	}
}

// numbered is the number that a mark asks for.
func numbered(references []paper.Reference, mark, home string) (string, error) {
	want := quantity{Data: "scenes", Digits: 1}
	if err := json.Unmarshal([]byte(mark), &want); err != nil {
		return "", err
	}
	if want.Claim != "" {
		all, err := judgedOf(want.Of, home)
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(all, func(f paper.Finding) bool { return f.Text == want.Claim })
		if at < 0 || all[at].Difference == nil || all[at].Blocks == nil {
			return "", fmt.Errorf("%s has no tested claim %q", want.Of, want.Claim)
		}
		f := all[at]
		return fmt.Sprintf("%s (%s to %s), %s", signed(*f.Difference, want.Digits), signed(f.Blocks[0], want.Digits),
			signed(f.Blocks[1], want.Digits), f.Conclusion()), nil
	}
	rows, err := rowsOf(references, want.Of, want.Data)
	if err != nil {
		return "", err
	}
	row, ok := rowNamed(rows, want.Row)
	if !ok {
		return "", fmt.Errorf("no row %q is shipped", want.Row)
	}
	if want.Column == "seeds" {
		return fmt.Sprint(len(row.Runs)), nil
	}
	v, ok := row.Metrics[want.Column]
	if !ok {
		return "", fmt.Errorf("%s has no %q", want.Row, want.Column)
	}
	if want.Less == "" {
		return fmt.Sprintf("%.*f", want.Digits, v[0]), nil
	}
	less, ok := rowNamed(rows, want.Less)
	w, has := less.Metrics[want.Column]
	if !ok || !has || w[2] != v[2] {
		return "", fmt.Errorf("no row %q of as many seeds with %q is shipped", want.Less, want.Column)
	}
	return signed(v[0]-w[0], want.Digits), nil
}

// What a mark asks for and is not shipped is an error.
func TestNumbersNotShipped(t *testing.T) {
	references := must.Get(paper.References())(t)
	for mark, want := range map[string]string{
		`{"of":"vlpx/leftout","row":"GRIT-VLP"`:                                                   "unexpected end",
		`{"of":"vlpx/nothing","row":"GRIT-VLP","column":"IR mAP"}`:                                "nothing is shipped of vlpx/nothing",
		`{"of":"vlpx/leftout","data":"coco","row":"GRIT-VLP","column":"IR mAP"}`:                  "on coco",
		`{"of":"vlpx/leftout","row":"GRIT","column":"IR mAP"}`:                                    `no row "GRIT"`,
		`{"of":"vlpx/leftout","row":"GRIT-VLP","column":"mAP"}`:                                   `GRIT-VLP has no "mAP"`,
		`{"of":"falcon/table1","row":"FALCON","less":"DiHT","column":"IR@1"}`:                     `no row "DiHT" of as many seeds`,
		`{"of":"vlpx/leftout","claim":"GRIT-VLP above FALCON in Image Retrieval mAP"}`:            "has no tested claim",
		`{"of":"vlpx/nothing","claim":"GRIT-VLP above FALCON in Image Retrieval mAP"}`:            "vlpx/nothing",
		`{"of":"glofnd/table1","data":"CIFAR-100","row":"SogCLR","less":"FNC","column":"linear"}`: `SogCLR has no "linear"`,
	} {
		must.Fail(t, must.Err(numbered(references, mark, t.TempDir())), want)
	}
}

// bare is a number with digits on both sides of a point, section the place of a paper's claim.
var (
	bare    = regexp.MustCompile(`[0-9]\.[0-9]`)
	section = regexp.MustCompile(`section [0-9.]+`)
)

// Each measured number of FINDINGS.md has a mark. Settings are written without a zero before the point.
func TestFindingsAreMade(t *testing.T) {
	text := string(must.Get(os.ReadFile("FINDINGS.md"))(t))
	for k, line := range strings.Split(text, "\n") {
		if number := bare.FindString(section.ReplaceAllString(stated.ReplaceAllString(line, ""), "")); number != "" {
			t.Errorf("FINDINGS.md:%d has ...%s..., which no mark makes of the shipped results", k+1, number)
		}
	}
}
