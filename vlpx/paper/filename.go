package paper

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vlpx.internal/vlpx/plan"
)

const (
	defaultScale = "mini"
	longestName  = 48 // characters of a file's name without its ending: as many as are read at a glance
)

var defaultSeeds = []uint64{1, 2, 3}

// FileName is a name for files of what the plan gives, without an ending: another one for another plan. It is the given name, with what
// differs from the defaults behind it: "table1-tiny-epochs-3-a1b2c3d4". Of files that were given it is what they have in them that counts.
func (p *Planned) FileName(name string) string { return p.FileNameOf(name, View{}) }

// FileNameOf is FileName for a view of the plan's rows and columns, of which each has another one, too.
func (p *Planned) FileNameOf(name string, view View) string {
	parts := []string{name}
	if p.Scale.Name != defaultScale {
		parts = append(parts, p.Scale.Name)
	}
	if p.Planner.Folder() {
		parts = append(parts, p.Data.Name, plan.Abbreviated(p.Data.Hash))
	}
	if source := p.LockedSource(); source != nil {
		parts = append(parts, source.Name)
	}
	parts = append(parts, p.Settings()...)
	switch {
	case p.Artifact.compared():
		var rows []string
		for _, row := range p.Artifact.Rows {
			rows = append(rows, row.Name)
		}
		parts = append(parts, strings.Join(rows, "+"))
	case len(p.Planner.Methods) > 0:
		parts = append(parts, "methods="+strings.Join(p.Planner.Methods, "+"))
	}
	for _, m := range p.Planner.Own {
		parts = append(parts, "own="+m.Name)
	}
	for _, task := range p.Planner.Tasks {
		parts = append(parts, fmt.Sprintf("task=%T%+v", task, task))
	}
	if p.Planner.Second != "" {
		parts = append(parts, "data2="+filepath.Base(p.Planner.Second))
	}
	if len(p.Planner.Without) > 0 {
		parts = append(parts, "without="+strings.Join(p.Planner.Without, "+"))
	}
	if !slices.Equal(p.Seeds, defaultSeeds) {
		parts = append(parts, "seeds="+strings.ReplaceAll(p.SeedList(), " ", ""))
	}
	if q := p.Planner.Request; len(q.Weights) > 0 || q.Vocabulary+q.Regions+q.Graphs+q.Second != "" { // whose names say too little
		sum := sha256.New()
		for _, r := range p.Runs() {
			sum.Write([]byte(r.ID()))
		}
		parts = append(parts, hex.EncodeToString(sum.Sum(nil)[:4]))
	}
	return SafeName(append(parts, view.Suffix()...)...)
}

// SafeName is a name for files, without an ending, of parts that may have any characters: another one for other parts. It has letters,
// digits, "-" and "_" alone, which shells and LaTeX take as they are. A hash stands behind a name that lacks something.
func SafeName(parts ...string) string {
	whole := strings.Join(parts, "-")
	clean := unsafe.ReplaceAllString(whole, "-")
	if clean != whole || len(clean) > longestName {
		sum := sha256.Sum256([]byte(whole))
		hash := "-" + hex.EncodeToString(sum[:4])
		clean = strings.TrimRight(clean[:min(len(clean), longestName-len(hash))], "-") + hash
	}
	return clean
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
