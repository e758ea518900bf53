package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// takenOf are how many images of a folder's splits the runs take, and of how many.
type takenOf struct{ train, trainOf, test, testOf int }

// countTaken counts the images that the scale takes of a folder, where it does not take all.
func (p *Plan) countTaken() error {
	if p.Data.Dir == "" || p.Data.Images == 0 {
		return nil
	}
	c, err := p.Data.Open()
	if err != nil {
		return err
	}
	for split, n := range map[string][2]*int{"train": {&p.taken.train, &p.taken.trainOf}, "test": {&p.taken.test, &p.taken.testOf}} {
		all, err := c.Split(split)
		if err != nil {
			continue // which is told where a run needs it
		}
		*n[0], *n[1] = min(all.Len(), p.Data.Images), all.Len()
	}
	return nil
}

// Taken tells how many of a folder's images the scale takes, and what takes all; empty where all are taken.
func (p *Plan) Taken() string {
	var some []string
	for _, of := range []struct {
		n, of int
		what  string
	}{{p.taken.train, p.taken.trainOf, "training"}, {p.taken.test, p.taken.testOf, "test"}} {
		if of.n < of.of {
			some = append(some, fmt.Sprintf("%s of %s %s images", weights.Thousands(of.n), weights.Thousands(of.of), of.what))
		}
	}
	if len(some) == 0 {
		return ""
	}
	why := fmt.Sprintf("scale %s; -set images=0, or -scale mini, takes all", p.Scale.Name)
	if slices.ContainsFunc(p.Planner.Set, func(assignment string) bool {
		key, _, _ := strings.Cut(strings.ToLower(assignment), "=")
		return strings.TrimPrefix(scale.Plainly(key), "scale.") == "images"
	}) {
		why = fmt.Sprintf("images=%d; images=0 takes all", p.Data.Images)
	}
	return fmt.Sprintf("%s of %s (%s).", strings.Join(some, " and "), p.Data.Name, why)
}

// folder tells whether the data is a folder of photographs.
func (q Request) Folder() bool { return q.Data != "" && q.Data != "scenes" }

// data describes the data at a scale, with the request's scene graphs.
func (q Request) data(s scale.Scale) (run.Data, error) {
	d, err := q.images(s)
	if err != nil || q.Graphs == "" {
		return d, err
	}
	return d.WithGraphs(q.Graphs)
}

// drawn are the generated scenes at a scale.
func drawn(s scale.Scale) scenes.Config {
	if s.CaptionNoise != 0 {
		s.Scenes.CaptionNoise = s.CaptionNoise
	}
	s.Scenes.Train = s.TrainingScenes()
	return s.Scenes
}

// patient is how long scenes may be drawn without a word.
const patient = 5 * time.Second

// Ahead says what takes long before a plan is there: drawing very many scenes, for their vocabulary. It is empty where nothing does, or the
// request is not in order.
func (q Request) Ahead() string {
	s, err := q.Preset()
	if err != nil || q.Folder() || s.SetAll(q.Set) != nil {
		return ""
	}
	c := drawn(s.Resolved())
	bytes, took := c.Drawing()
	if took < patient {
		return ""
	}
	return fmt.Sprintf("%s training scenes are drawn first, which takes about %s and %.3g GB for each seed that has its own",
		weights.Thousands(c.WithDefaults().Train), took.Round(time.Second), bytes/1e9)
}

// images describes the images and captions at a scale.
func (q Request) images(s scale.Scale) (run.Data, error) {
	s = s.Resolved()
	if !q.Folder() {
		if s.Labels != "" {
			return run.Data{}, fmt.Errorf("labels=%s is of CIFAR-100, and scenes have no such classes; leave it out", s.Labels)
		}
		return run.ScenesData(drawn(s))
	}
	d, err := q.folder(s.Labels)
	if err != nil {
		return d, err
	}
	d.Images, d.Captions, d.CaptionNoise, d.Portion = s.Images, s.Captions, s.CaptionNoise, s.Portion
	return d, nil
}

// folder describes the request's folder by the classes of its images.
func (q Request) folder(labels string) (run.Data, error) {
	name := q.Data + ":" + labels
	if d, known := q.folders[name]; known {
		return d, nil
	}
	var d run.Data
	var err error
	if labels == "" {
		d, err = run.FolderData(q.Data)
	} else if d, err = q.folder(""); err == nil {
		d, err = d.Labelled(labels)
	}
	if err == nil && q.folders != nil {
		q.folders[name] = d
	}
	return d, err
}
