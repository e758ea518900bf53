package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/audit"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/paper"
)

// made is a table of a document that is made of shipped results: a mark with what it has, and the table below it.
var made = regexp.MustCompile(`(?m)^<!-- (table|claims|steps|audits) (\{.*\}) -->\n((?:\|.*\n)*)`)

// drawn is a figure of shipped results: a mark with the artifact, metrics and rows, and the picture below it.
var drawn = regexp.MustCompile(`(?m)^<!-- figure (\{.*\}) -->\n!\[.*\]\((.*)\)`)

// wanted is what a mark asks for.
type wanted struct {
	Of      string     // an artifact
	Data    string     // "scenes" if empty
	Columns [][]string // heading and metric, and the artifact if that is another
	Rows    [][]string // name, what it is called here if that is another, and the row that is taken off it; all if none
	Seeds   bool       // with the number of seeds
	Digits  int        // behind the point
	Primary bool       // of claims, the primary ones alone
}

// Tables of our own results in documents are those of the shipped results. go test ./docs -run TestTables -update writes them.
func TestTables(t *testing.T) {
	references := must.Get(paper.References())(t)
	pages := must.Get(filepath.Glob("*.md"))(t)
	found := 0
	for _, page := range append(pages, "../README.md") {
		text := must.Get(os.ReadFile(page))(t)
		current := made.ReplaceAllStringFunc(string(text), func(old string) string {
			found++
			parts := made.FindStringSubmatch(old)
			kind, mark := parts[1], parts[2]
			var table string
			var err error
			switch kind {
			case "claims":
				table, err = claims(mark, t.TempDir())
			case "steps":
				table, err = steps(mark)
			case "audits":
				table, err = audits(mark)
			default:
				table, err = shipped(references, mark)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", page, mark, err)
				return old
			}
			return fmt.Sprintf("<!-- %s %s -->\n%s", kind, mark, table)
		})
		if current == string(text) {
			continue
		}
		if !*update {
			t.Errorf("%s has a table that is not of the shipped results; run go test ./docs -run TestTables -update", page)
		} else if err := os.WriteFile(page, []byte(current), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("no document has a mark of a table")
	}
}

// Figures of our own results in documents are of the shipped results. go test ./docs -run TestFigures -update writes them.
func TestFigures(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("pictures are compared where they are drawn, on amd64: elsewhere the last bit of a product differs")
	}
	found := 0
	for _, page := range append(must.Get(filepath.Glob("*.md"))(t), "../README.md") {
		for _, parts := range drawn.FindAllStringSubmatch(string(must.Get(os.ReadFile(page))(t)), -1) {
			found++
			var want struct {
				Of            string
				Metrics, Rows []string
				Title         string
			}
			must.Do(t, json.Unmarshal([]byte(parts[1]), &want))
			view := lab.View{Title: want.Title, Metrics: want.Metrics, Rows: want.Rows}
			grid := must.Get(lab.Open(want.Of, lab.Options{Home: t.TempDir(), View: view}))(t)
			report := must.Get(grid.Report())(t)
			file := filepath.Join(filepath.Dir(page), parts[2])
			fresh := filepath.Join(t.TempDir(), filepath.Base(file))
			must.Do(t, report.Save(fresh))
			now := must.Get(os.ReadFile(fresh))(t)
			if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, now) {
				continue
			}
			if !*update {
				t.Errorf("%s of %s is not of the shipped results; run go test ./docs -run TestFigures -update", file, page)
			} else if err := os.WriteFile(file, now, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found == 0 {
		t.Error("no document has a mark of a figure")
	}
}

// steps is the table of the whole steps in the files of vlpx bench -json that a mark names.
func steps(mark string) (string, error) {
	var want struct{ Of []string }
	if err := json.Unmarshal([]byte(mark), &want); err != nil {
		return "", err
	}
	var results []bench.Result
	for _, path := range want.Of {
		result, err := bench.Read(path)
		if err != nil {
			return "", err
		}
		results = append(results, result)
	}
	table := bench.Together(results)
	table.Title, table.Note = "", ""
	var text bytes.Buffer
	err := table.Markdown(&text)
	return strings.TrimSpace(text.String()) + "\n", err
}

// audits is the table of the audits in the files of vlpx audit -o FILE.json that a mark names.
func audits(mark string) (string, error) {
	var want struct{ Of []string }
	if err := json.Unmarshal([]byte(mark), &want); err != nil {
		return "", err
	}
	var all []audit.Measured
	for _, path := range want.Of {
		one, err := audit.ReadMeasured(path)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	var text bytes.Buffer
	table := audit.Together(all)
	err := table.Markdown(&text)
	return strings.TrimSpace(text.String()) + "\n", err
}

// judged are the claims of artifacts that were opened, for all tests: opening one takes seconds.
var judged = map[string][]paper.Finding{}

// judgedOf are the claims of an artifact on what is shipped. It is opened in a home, which may be empty.
func judgedOf(artifact, home string) ([]paper.Finding, error) {
	if all, ok := judged[artifact]; ok {
		return all, nil
	}
	grid, err := lab.OpenShown(artifact, lab.Options{Home: home})
	if err != nil {
		return nil, err
	}
	report, err := grid.Report()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := report.JSON(&text); err != nil {
		return nil, err
	}
	var of paper.Report
	if err := json.Unmarshal(text.Bytes(), &of); err != nil {
		return nil, err
	}
	judged[artifact] = of.Claims
	return of.Claims, nil
}

// claims is the table of the claims of the artifact that a mark names, on what is shipped: those that are tested.
func claims(mark, home string) (string, error) {
	var want wanted
	if err := json.Unmarshal([]byte(mark), &want); err != nil {
		return "", err
	}
	all, err := judgedOf(want.Of, home)
	if err != nil {
		return "", err
	}
	table := "| claim | difference | 95 % interval | | source |\n| --- | ---: | --- | --- | --- |\n"
	for _, f := range all {
		if f.Difference == nil || f.Blocks == nil || want.Primary && !f.Primary {
			continue
		}
		conclusion := f.Conclusion()
		if f.Primary {
			conclusion = "primary, " + conclusion
		}
		table += fmt.Sprintf("| %s | %s | %s to %s | %s | %s |\n", f.Text, signed(*f.Difference, 1), signed(f.Blocks[0], 1),
			signed(f.Blocks[1], 1),
			conclusion, f.Source)
	}
	return table, nil
}

// signed is a difference as documents have it.
func signed(x float64, digits int) string {
	return strings.ReplaceAll(fmt.Sprintf("%+.*f", digits, x), "-", "−")
}

// shipped is the table that a mark asks for.
func shipped(references []paper.Reference, mark string) (string, error) {
	want := wanted{Data: "scenes", Digits: 1}
	if err := json.Unmarshal([]byte(mark), &want); err != nil {
		return "", err
	}
	rows, err := rowsOf(references, want.Of, want.Data)
	if err != nil {
		return "", err
	}
	if want.Rows == nil {
		for _, row := range rows {
			want.Rows = append(want.Rows, []string{row.Name})
		}
	}
	head, rule, lines := "| method |", "| --- |", make([]string, len(want.Rows))
	if want.Seeds {
		head, rule = head+" seeds |", rule+" ---: |"
	}
	for i, names := range want.Rows {
		lines[i] = fmt.Sprintf("| %s |", names[min(1, len(names)-1)])
		if row, ok := rowNamed(rows, names[0]); want.Seeds && ok {
			lines[i] += fmt.Sprintf(" %d |", len(row.Runs))
		}
	}
	for _, column := range want.Columns {
		head, rule = head+" "+column[0]+" |", rule+" ---: |"
		rows, found := rows, false
		if len(column) > 2 {
			if rows, err = rowsOf(references, column[2], want.Data); err != nil {
				return "", err
			}
		}
		for i, names := range want.Rows {
			row, ok := rowNamed(rows, names[0])
			if !ok {
				return "", fmt.Errorf("no row %q is shipped", names[0])
			}
			less := paper.ReferenceRow{}
			if len(names) > 2 {
				if less, ok = rowNamed(rows, names[2]); !ok {
					return "", fmt.Errorf("no row %q is shipped", names[2])
				}
			}
			text := value(row, less, column[1], want.Digits)
			lines[i], found = lines[i]+" "+text+" |", found || text != ""
		}
		if !found {
			return "", fmt.Errorf("no row has %q", column[1])
		}
	}
	return strings.Join(append([]string{head, rule}, lines...), "\n") + "\n", nil
}

// rowsOf are the rows that are shipped of an artifact.
func rowsOf(references []paper.Reference, artifact, data string) ([]paper.ReferenceRow, error) {
	for _, r := range references {
		if r.Artifact == artifact && r.Data == data && r.Scale == "mini" && r.Framework == "" {
			return r.Rows, nil
		}
	}
	return nil, fmt.Errorf("nothing is shipped of %s on %s", artifact, data)
}

func rowNamed(rows []paper.ReferenceRow, name string) (paper.ReferenceRow, bool) {
	at := slices.IndexFunc(rows, func(row paper.ReferenceRow) bool { return row.Name == name })
	if at < 0 {
		return paper.ReferenceRow{}, false
	}
	return rows[at], true
}

// value is a row's mean of a metric, with the standard deviation over seeds where there are several, as show prints it, or the difference
// of the means of two rows; empty where there is none.
func value(row, less paper.ReferenceRow, metric string, digits int) string {
	v, ok := row.Metrics[metric]
	w, differs := less.Metrics[metric]
	switch {
	case !ok || less.Name != "" && !differs:
		return ""
	case differs:
		return signed(v[0]-w[0], digits)
	case v[2] < 2:
		return fmt.Sprintf("%.*f", digits, v[0])
	}
	return fmt.Sprintf("%.*f±%.*f", digits, v[0], digits, v[1])
}
