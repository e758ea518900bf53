package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Settings are what was changed of the scale, "key=value" in the order asked for, and one's own framework, the vocabulary's file and the
// published weights where they were given.
func (p *Plan) Settings() []string {
	settings := []string{}
	if p.Planner.Model != nil {
		settings = append(settings, "framework="+p.Framework())
	}
	for _, assignment := range p.Planner.Set {
		key, value, _ := strings.Cut(assignment, "=")
		settings = append(settings, strings.ToLower(key)+"="+value)
	}
	if p.Planner.Vocabulary != "" {
		settings = append(settings, "vocabulary="+filepath.Base(p.Planner.Vocabulary))
	}
	return append(settings, p.Planner.weightSettings()...)
}

// Vague tells of one's own parts, framework and tasks whose code cannot be told apart from the rest of the program, each once.
func (p *Plan) Vague() []string {
	var why []string
	for _, r := range p.Runs() {
		why = Joined(why, r.Vague())
	}
	return why
}

// Abbreviated is the beginning of a hash, enough to tell one from another.
func Abbreviated(hash string) string { return hash[:min(12, len(hash))] }

// SeedList names the seeds: "1, 2, 3", and more than three in a row as a range, "1-8".
func (p *Plan) SeedList() string {
	var names []string
	for rest := p.Seeds; len(rest) > 0; {
		row := 1
		for row < len(rest) && rest[row] == rest[row-1]+1 {
			row++
		}
		if row > 3 {
			names = append(names, fmt.Sprintf("%d-%d", rest[0], rest[row-1]))
		} else {
			row = 1
			names = append(names, fmt.Sprint(rest[0]))
		}
		rest = rest[row:]
	}
	return strings.Join(names, ", ")
}

func Joined(all, more []string) []string {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}
