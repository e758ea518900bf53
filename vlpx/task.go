package vlpx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/paper"
)

// TaskSettings are what tasks take that are named in a shell; each is for one task.
type TaskSettings struct {
	Rerank  int      // candidates that retrieval re-ranks
	Prompts []string // of classes
	// Targets are the data of transfer: "scenes" for the two kinds of classes that generated ones have, or folders as Options.Data names them,
	// with ":coarse" behind CIFAR-100 for its coarse classes.
	Targets []string
	Alpha   float64 // share of false negatives of thresholds
	// Of is the run whose sentences discrimination and fluency are asked about, by its identity, and Version which: "written" if empty.
	Of      string
	Version eval.Version
	Answers []string // candidates of visual question answering, see eval.ReadAnswers; none for those of training
}

// namedTasks are those of package eval as the shell names them, the usual one first.
var namedTasks = []struct {
	name string
	task eval.Task
}{
	{"retrieval", eval.Retrieval{}}, {"classes", eval.Classification{}}, {"neighbours", eval.Neighbours{}}, {"linear", eval.LinearEvaluation{}},
	{"transfer", eval.Transfer{}}, {"thresholds", eval.Thresholds{}},
	{"perplexity", eval.Perplexity{}}, {"discrimination", eval.Discrimination{}}, {"fluency", eval.Fluency{}},
	{"nlvr2", eval.Reasoning{}}, {"assignment", eval.Assignment{}}, {"complexity", eval.Complexity{}},
	{"vqa", eval.VQA{}}, {"asking", eval.Asking{Search: generate.Answers()}}, {"captioning", eval.Captioning{Search: generate.Captions()}},
}

// Task is a task by its name, as Show("tasks") lists it, with the settings that are its own.
func Task(name string, s TaskSettings) (eval.Task, error) {
	var names []string
	for _, t := range namedTasks {
		names = append(names, t.name)
	}
	i := slices.Index(names, name)
	if i < 0 {
		return nil, fmt.Errorf("no task %q%s There are %s", name, paper.Suggest(name, names), strings.Join(names, ", "))
	}
	sentences := []string{"discrimination", "fluency"}
	for _, of := range []struct {
		tasks []string
		what  string
		named bool
	}{
		{[]string{"classes"}, "prompts are", len(s.Prompts) > 0}, {[]string{"transfer"}, "targets are", len(s.Targets) > 0},
		{[]string{"thresholds"}, "alpha is", s.Alpha != 0}, {[]string{"vqa"}, "answers are", len(s.Answers) > 0},
		{sentences, "of is", s.Of != ""}, {sentences, "version is", s.Version != ""},
	} {
		if of.named && !slices.Contains(of.tasks, name) {
			return nil, fmt.Errorf("%s for the task %s; %s has none", of.what, strings.Join(of.tasks, " or "), name)
		}
	}
	version := cmp.Or(s.Version, eval.Written)
	switch task := namedTasks[i].task.(type) {
	case eval.Retrieval:
		return eval.Retrieval{Rerank: s.Rerank}, nil
	case eval.Classification:
		return eval.Classification{Prompts: s.Prompts}, nil
	case eval.Transfer:
		return transfer(s.Targets)
	case eval.Thresholds:
		return eval.Thresholds{Alpha: s.Alpha}, nil
	case eval.VQA:
		return eval.VQA{Answers: s.Answers}, nil
	case eval.Discrimination:
		return eval.Discrimination{Of: s.Of, Against: version}, nil
	case eval.Fluency:
		return eval.Fluency{Of: s.Of, Version: version}, nil
	default:
		return task, nil
	}
}

// transfer is to the targets that are named.
func transfer(names []string) (eval.Task, error) {
	var t eval.Transfer
	for _, name := range names {
		if name == "scenes" {
			t.Targets = append(t.Targets, eval.UsualTargets()...)
			continue
		}
		data, coarse := strings.CutSuffix(name, ":"+eval.CoarseLabels)
		dir, err := Options{}.folder(data)
		if err != nil {
			return nil, err
		}
		labels := ""
		if coarse {
			labels = eval.CoarseLabels
		}
		target, err := eval.FolderTarget(dir, labels)
		if err != nil {
			return nil, err
		}
		t.Targets = append(t.Targets, target)
	}
	return t, nil
}
