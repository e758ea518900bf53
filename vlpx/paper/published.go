package paper

import (
	"fmt"
	"path/filepath"
	"strings"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// noWeights asks for first weights that are drawn, where a scale has published ones.
const noWeights = "none"

// starts are the checkpoints that scales start from: at the papers', those of ALBEF.
var starts = map[string]first{"paper": {"deit-base", "bert-base"}}

// first are the names of the checkpoints of the image encoder and of the text encoder; empty where weights are drawn.
type first struct{ vision, text string }

// published finds the weights that are asked for, and those of the scale. A known one that is not on this machine is an error only when a
// run needs it.
func (q Request) published(s Scale) (run.Weights, error) {
	asked := map[string]string{"vision": starts[s.Name].vision, "text": starts[s.Name].text}
	given := map[string]bool{}
	for _, assignment := range q.Weights {
		part, name, ok := strings.Cut(assignment, "=")
		part = strings.ToLower(strings.TrimSpace(part))
		if _, is := asked[part]; !ok || !is || name == "" {
			return run.Weights{}, fmt.Errorf("weights %q: write vision=NAME, text=NAME or both, with a comma; NAME is one that vlpx weights lists, a path, or %s",
				assignment, noWeights)
		}
		if given[part] {
			return run.Weights{}, fmt.Errorf("weights %q: %s is there twice", assignment, part)
		}
		asked[part], given[part] = strings.TrimSpace(name), true
	}
	find := func(part string) (*weights.Source, error) {
		if asked[part] == "" || asked[part] == noWeights {
			return nil, nil
		}
		source, err := q.Places.Find(asked[part])
		if err != nil {
			return nil, fmt.Errorf("weights %s=%s: %w", part, asked[part], err)
		}
		return &source, nil
	}
	var w run.Weights
	var err error
	if w.Vision, err = find("vision"); err == nil {
		w.Text, err = find("text")
	}
	return w, err
}

// publish lets runs start from published weights, with the layers that their image encoder has.
func (w planner) publish(runs []run.Run) error {
	for k := range runs {
		runs[k].Weights = w.published
		if source := w.published.Vision; source != nil {
			v := &runs[k].Train.Framework.Vision
			var err error
			if *v, err = source.Adapt(*v); err != nil {
				return err
			}
		}
	}
	return nil
}

// weightSettings are the weights that were asked for, a file by its name alone.
func (q Request) weightSettings() []string {
	var settings []string
	for _, assignment := range q.Weights {
		part, name, _ := strings.Cut(assignment, "=")
		settings = append(settings, strings.ToLower(strings.TrimSpace(part))+"="+filepath.Base(strings.TrimSpace(name)))
	}
	return settings
}
