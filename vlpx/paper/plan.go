package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// Request is what a user asks of an artifact.
type Request struct {
	Scale   string   // a preset; "mini" if empty
	Data    string   // "scenes" or empty for generated scenes, else a folder in Karpathy's layout
	Seeds   []uint64 // 1, 2 and 3 if empty
	Methods []string // rows to run; all if empty
	Set     []string // changes of the preset, key=value
	// Own are methods of one's own: further rows, which are always run.
	Own []negative.Method
	// Vocabulary is a BERT vocab.txt or tokenizer.json; empty for one built from the training captions.
	Vocabulary string
}

// Plan is an artifact with the runs that a request comes to.
type Plan struct {
	Artifact Artifact
	Scale    Scale
	Data     run.Data
	Seeds    []uint64
	// Rows are the runs of each row of the artifact, one a seed; nil where the method is not there yet or was not asked for.
	Rows [][]run.Run
	// Asked tells of each row whether the request includes it.
	Asked []bool
}

// NewPlan works a request out: it reads the captions (for the vocabulary) but runs nothing.
func NewPlan(a Artifact, q Request) (*Plan, error) {
	if q.Scale == "" {
		q.Scale = "mini"
	}
	a, err := a.withOwn(q.Own)
	if err != nil {
		return nil, err
	}
	scale, err := Preset(q.Scale, q.folder())
	if err != nil {
		return nil, err
	}
	for _, assignment := range q.Set {
		if err := scale.Set(assignment); err != nil {
			return nil, err
		}
	}
	p := &Plan{Artifact: a, Scale: scale, Seeds: q.Seeds}
	if len(p.Seeds) == 0 {
		p.Seeds = []uint64{1, 2, 3}
	}
	for i, seed := range p.Seeds {
		if slices.Contains(p.Seeds[:i], seed) {
			return nil, fmt.Errorf("seed %d is there twice in %v; the same run counts once", seed, p.Seeds)
		}
	}
	if p.Data, err = q.data(scale); err != nil {
		return nil, err
	}
	if p.Asked, err = asked(a, q.Methods); err != nil {
		return nil, err
	}
	for i := range q.Own {
		p.Asked[len(p.Asked)-1-i] = true
	}
	return p, p.rows(q)
}

// folder tells whether the data is a folder of photographs.
func (q Request) folder() bool { return q.Data != "" && q.Data != "scenes" }

// data describes the data at a scale.
func (q Request) data(s Scale) (run.Data, error) {
	if !q.folder() {
		if s.CaptionNoise != 0 {
			s.Scenes.CaptionNoise = s.CaptionNoise
		}
		return run.ScenesData(s.Scenes)
	}
	d, err := run.FolderData(q.Data)
	d.Images, d.Captions, d.CaptionNoise = s.Images, s.Captions, s.CaptionNoise
	return d, err
}

func asked(a Artifact, methods []string) ([]bool, error) {
	rows := make([]bool, len(a.Rows))
	var names []string
	for i, row := range a.Rows {
		rows[i] = len(methods) == 0
		names = append(names, row.Name)
	}
	for _, method := range methods {
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(method)) })
		if i < 0 {
			return nil, fmt.Errorf("%s has no row %q; did you mean %q?", a.ID, method, Nearest(method, names))
		}
		rows[i] = true
	}
	return rows, nil
}

// rows fills in the runs.
func (p *Plan) rows(q Request) error {
	p.Rows = make([][]run.Run, len(p.Artifact.Rows))
	known := map[string]*text.Tokenizer{} // by the data's hash: rows mostly share it
	for i, row := range p.Artifact.Rows {
		if row.Method == nil || !p.Asked[i] {
			continue
		}
		scale, data := p.Scale, p.Data
		if row.Vary != nil {
			row.Vary(&scale)
			var err error
			if data, err = q.data(scale); err != nil {
				return err
			}
		}
		vocabulary := run.Vocabulary{MinCount: scale.MinCount, MaxSize: scale.MaxVocab, File: q.Vocabulary}
		tokenizer := known[data.Hash]
		if tokenizer == nil {
			collection, err := data.Open()
			if err != nil {
				return err
			}
			if tokenizer, err = vocabulary.Tokenizer(collection); err != nil {
				return err
			}
			known[data.Hash] = tokenizer
		}
		if q.Vocabulary != "" {
			vocabulary = run.Vocabulary{File: q.Vocabulary, Hash: tokenizer.Hash()}
		}
		method := row.Method(scale)
		method.Name = row.Name
		p.Rows[i] = scale.Runs(data, vocabulary, tokenizer.Size(), method, p.Seeds)
		if row.Reference != nil {
			for k, reference := range scale.Runs(data, vocabulary, tokenizer.Size(), row.Reference(scale), p.Seeds) {
				p.Rows[i][k].Reference, p.Rows[i][k].Train.Reference = &reference, reference.ID()
			}
		}
		if err := p.Rows[i][0].Train.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// Runs lists the runs of all rows, each once, seed by seed, so that an interrupted grid has whole comparisons first. The run of
// a reference model comes before the one that needs it.
func (p *Plan) Runs() []run.Run {
	var all []run.Run
	listed := map[string]bool{}
	add := func(r run.Run) {
		if id := r.ID(); !listed[id] {
			listed[id] = true
			all = append(all, r)
		}
	}
	for s := range p.Seeds {
		for _, row := range p.Rows {
			if row == nil {
				continue
			}
			if row[s].Reference != nil {
				add(*row[s].Reference)
			}
			add(row[s])
		}
	}
	return all
}
