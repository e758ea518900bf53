package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// noWeights asks for first weights that are drawn, where a scale has published ones.
const noWeights = "none"

// published finds the weights that are asked for, and those of the scale. A known one that is not on this machine is an error only when a
// run needs it.
func (q Request) published(s scale.Scale) (run.Weights, error) {
	usual := s.Starts()
	if s.Locked.Side != 0 && s.Locked.Epochs == 0 {
		usual.Vision = scale.Lockable
	}
	whole, err := q.whole(s)
	if err != nil {
		return run.Weights{}, err
	}
	if whole {
		usual = scale.First{}
	}
	find := func(part, usual string) (*weights.Source, error) {
		name, given, err := q.weightsOf(part)
		if err != nil {
			return nil, err
		}
		if !given {
			name = usual
		}
		if name == "" || name == noWeights {
			return nil, nil
		}
		source, err := q.Places.Find(name)
		if err != nil {
			return nil, fmt.Errorf("weights %s=%s: %w", part, name, err)
		}
		return &source, nil
	}
	var w run.Weights
	if w.Vision, err = find("vision", usual.Vision); err == nil {
		w.Text, err = find("text", usual.Text)
	}
	if err == nil {
		w.Model, err = find("model", "")
	}
	if words, _, told := q.weightsOf("words"); err == nil && words != "" && words != noWeights {
		source, missing := weights.FindWords(words)
		w.Words, err = &source, errors.Join(told, missing)
	}
	return w, err
}

// whole tells whether the request names the weights of a whole model, beside which there are none of its parts.
func (q Request) whole(s scale.Scale) (bool, error) {
	name, given, err := q.weightsOf("model")
	if err != nil || !given || name == noWeights {
		return false, err
	}
	for _, part := range []string{"vision", "text"} {
		if other, _, err := q.weightsOf(part); err != nil || other != "" && other != noWeights {
			return false, errors.Join(err, fmt.Errorf("weights %s=%s beside model=%s, which has all of the model; leave one of them out",
				part, other, name))
		}
	}
	if s.Locked.Side != 0 {
		return false, fmt.Errorf("weights model=%s with locked.side=%d: a model behind a locked encoder reads its tokens, and a "+
			"published one pixels; "+
			"set locked.side=0", name, s.Locked.Side)
	}
	return true, nil
}

// weightsOf is what the request names for a part, "vision", "text", "model" or "words", and whether it does.
func (q Request) weightsOf(part string) (name string, given bool, err error) {
	for _, assignment := range q.Weights {
		of, named, ok := strings.Cut(assignment, "=")
		of, named = strings.ToLower(strings.TrimSpace(of)), strings.TrimSpace(named)
		if !ok || !slices.Contains([]string{"vision", "text", "model", "words", "language"}, of) || named == "" {
			return "", false, fmt.Errorf("weights %q: write vision=NAME, text=NAME, model=NAME, words=FOLDER or language=FOLDER, several "+
				"with commas; NAME is one that vlpx weights lists, a path, or %s",
				assignment, noWeights)
		}
		if of != part {
			continue
		}
		if given {
			return "", false, fmt.Errorf("weights %q: %s is there twice", assignment, part)
		}
		name, given = named, true
	}
	return name, given, nil
}

// publish lets runs start from published weights, with the layers that their image encoder has, or be seen by it where it is locked, or by
// regions.
func (w planner) publish(runs []run.Run, scale scale.Scale) error {
	if err := w.regions(runs, scale); err != nil {
		return err
	}
	first := w.published
	if scale.Locked.Side != 0 {
		if err := w.lock(runs, first.Vision, scale); err != nil {
			return err
		}
		first.Vision = nil
	}
	for k := range runs {
		runs[k].Weights = first
		if source := first.Vision; source != nil {
			f := &runs[k].Train.Framework
			pretrained, ok := f.Framework.(framework.Pretrained)
			if !ok {
				return fmt.Errorf("weights vision=%s: %s takes no published weights; leave them out", source.Name, f.Name())
			}
			var err error
			if f.Framework, err = pretrained.Adapt(framework.Vision, *source); err != nil {
				return err
			}
		}
	}
	return nil
}

// weightSettings are the weights and the regions that were asked for, a file or folder by its name alone.
func (q Request) weightSettings() []string {
	var settings []string
	for _, assignment := range q.Weights {
		part, name, _ := strings.Cut(assignment, "=")
		settings = append(settings, strings.ToLower(strings.TrimSpace(part))+"="+filepath.Base(strings.TrimSpace(name)))
	}
	if q.Regions != "" {
		settings = append(settings, "regions="+filepath.Base(q.Regions))
	}
	return settings
}
