package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Every mistake is one line on standard error that says what is wrong and what to do, and exit status 1.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty/readme":           "",
		"cut/dataset_a.json":     `{"images": [{"filename": "a.jpg", "split": "tr`,
		"cut/images/a.jpg":       "",
		"two/dataset_a.json":     "{}",
		"two/dataset_b.json":     "{}",
		"train/dataset_few.json": `{"images": [{"filename": "a.jpg", "split": "train", "sentences": [{"raw": "one two three"}]}]}`,
		"train/images/a.jpg":     "",
		"file":                   "",
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	tiny := func(more ...string) []string {
		return append(shortest("reproduce", "falcon/table1", "-methods", "InfoNCE"), more...)
	}
	succeed(t, dir, shortest("train", "InfoNCE")...)
	for _, c := range []struct {
		args []string
		want []string // words of the line
	}{
		{[]string{"lst"}, []string{`"lst"`, `did you mean "list"`, "vlpx -h"}},
		{[]string{"-scal", "tiny"}, []string{"-scal", "vlpx -h"}},
		{[]string{"list", "falcon"}, []string{"flags only", `"falcon"`}},
		{[]string{"reproduce", "falcon/table1", "-sead", "1"}, []string{"-sead", "did you mean -seeds", "vlpx reproduce -h"}},
		{[]string{"reproduce", "falcon/table1", "-seeds"}, []string{"needs an argument", "vlpx reproduce -h"}},
		{[]string{"train", "-methods", "InfoNCE"}, []string{"no flag -methods", "vlpx train GRIT-VLP"}},
		{[]string{"eval", "-method", "InfoNCE"}, []string{"no flag -method", "vlpx eval GRIT-VLP"}},
		{[]string{"train"}, []string{"needs a method", "vlpx show methods"}},
		{[]string{"train", "ALBEF", "MAFA"}, []string{"one method", `"MAFA"`, "vlpx compare"}},
		{[]string{"train", "GRIT-VPL"}, []string{`"GRIT-VPL"`, `did you mean "GRIT-VLP"`}},
		{[]string{"eval"}, []string{"needs a method", "folder of an exported model"}},
		{[]string{"eval", "GRIT-VPL"}, []string{`"GRIT-VPL"`, `did you mean "GRIT-VLP"`}},
		{[]string{"bench", "-what", "stepp"}, []string{`"stepp"`, "step, loader, sampler, evaluation, generation"}},
		{[]string{"bench", "-rounds", "-3"}, []string{"-3 rounds", "1 or more"}},
		{[]string{"bench", "GRIT-VPL"}, []string{`"GRIT-VPL"`, `did you mean "GRIT-VLP"`}},
		{[]string{"bench", "-frameworks", "clop"}, []string{`"clop"`, `did you mean "CLIP"`}},
		{[]string{"bench", "-batches", "1"}, []string{"a batch of 1", "at least 2"}},
		{[]string{"bench", "SRCL", "-peer"}, []string{"no SRCL", "leave -peer out"}},
		{[]string{"bench", "-costs", "-peer"}, []string{"costs are measured alone"}},
		{[]string{"bench", "-costs", "-pairs", "0.5"}, []string{"-pairs 0.5", "whole numbers"}},
		{[]string{"bench", "-pairs", "4e6"}, []string{"ask for costs, too"}},
		{[]string{"bench", "-runs", "x"}, []string{"-runs takes whole numbers separated by commas, such as 2,4", `"x"`, "vlpx bench -h"}},
		{[]string{"bench", "-rounds", "1.5"}, []string{"-rounds takes a whole number", `"1.5"`}},
		{[]string{"bench", "-pairs", "4e6,many"}, []string{"-pairs takes numbers separated by commas", `"4e6,many"`}},
		{[]string{"bench", "-ready", "90"}, []string{"-ready takes a time such as 90s", `"90"`}},
		{[]string{"bench", "-json=maybe"}, []string{"-json takes true or false", `"maybe"`}},
		{[]string{"bench", "-batch", "32"}, []string{"-batch", "did you mean -batches", "vlpx bench -h"}},
		{[]string{"runs", "falcon"}, []string{`"falcon"`, "vlpx runs show falcon"}},
		{[]string{"runs", "-since", "3days"}, []string{`"3days"`, "3d"}},
		{[]string{"runs", "show"}, []string{"needs a run", "vlpx runs"}},
		{[]string{"runs", "show", "xyz"}, []string{`no run "xyz"`, "vlpx runs"}},
		{[]string{"compare", "-runs", "xyz"}, []string{`no run "xyz"`, "vlpx runs"}},
		{[]string{"compare", "ALBEF", "-runs", "xyz"}, []string{"finished", `"ALBEF"`}},
		{[]string{"compare", "-runs", "xyz", "-scale", "tiny"}, []string{"-scale is that of the runs"}},
		{[]string{"sweep"}, []string{"sweep needs an artifact", "vlpx list"}},
		{[]string{"sweep", "falcon/tabel1"}, []string{`did you mean "falcon/table1"`}},
		{shortest("sweep", "falcon/table1", "-launcher", "slrm"), []string{`no launcher "slrm"`, "local, ssh, slurm and k8s"}},
		{shortest("sweep", "falcon/table1", "-launcher", "ssh"), []string{"needs a file of hosts", "-hosts"}},
		{shortest("sweep", "falcon/table1", "-launcher", "ssh", "-hosts", "gone"), []string{"ssh: open gone: no such file"}},
		{shortest("sweep", "falcon/table1", "-hosts", "x"), []string{"is for the launcher ssh"}},
		{shortest("sweep", "falcon/table1", "-slurm", "partition=x"), []string{"are for the launcher slurm"}},
		{shortest("sweep", "falcon/table1", "-launcher", "slurm", "-slurm", "array=3", "-dry-run"), []string{"array by itself"}},
		{shortest("sweep", "falcon/table1", "-launcher", "slurm", "-jobs", "3"), []string{"array_parallelism"}},
		{shortest("sweep", "falcon/table1", "-launcher", "k8s"), []string{"setting image is missing"}},
		{shortest("sweep", "falcon/table1", "-submit"), []string{"only Slurm is submitted to"}},
		{shortest("sweep", "falcon/table1", "-jobs", "-1"), []string{"-1 processes at once"}},
		{[]string{"sweep", "work"}, []string{"needs one plan", "sweep work -h"}},
		{[]string{"sweep", "work", "nowhere.json"}, []string{"nowhere.json", "vlpx sweep ID"}},
		{[]string{"rm"}, []string{"needs a run", "vlpx runs"}},
		{[]string{"rm", "xyz"}, []string{`no run "xyz"`, "vlpx runs"}},
		{[]string{"prune", "everything"}, []string{`"everything"`, "orphans, checkpoints, stale"}},
		{[]string{"prune", "-yes"}, []string{"orphans, checkpoints, stale"}},
		{[]string{"store", "verfy"}, []string{`"verfy"`, "verify"}},
		{[]string{"store", "export", "xyz"}, []string{"-o FILE"}},
		{[]string{"store", "export", "xyz", "-o", "runs.tar.gz"}, []string{`no run "xyz"`}},
		{[]string{"store", "import", "file"}, []string{"file: no archive of runs", "vlpx store export"}},
		{[]string{"store", "import", "nowhere"}, []string{"nowhere"}},
		{[]string{"reproduce"}, []string{"needs an artifact", "vlpx list"}},
		{[]string{"show"}, []string{"needs an artifact", "vlpx list"}},
		{[]string{"reproduce", "falcon/tabel1"}, []string{"falcon/tabel1", `did you mean "falcon/table1"`, "vlpx list"}},
		{tiny("falcon/tabel1"), []string{`did you mean "falcon/table1"`}},
		{tiny("-scale", "tinny"), []string{"tinny", `did you mean "tiny"`, "tiny, mini, small, paper"}},
		{tiny("-methods", "ALBEF,InfoNSE"), []string{"InfoNSE", `did you mean "InfoNCE"`}},
		{shortest("eval", "InfoNCE", "-task", "class"), []string{`"class"`, `did you mean "classes"`}},
		{shortest("eval", "InfoNCE", "-task", "classes", "-prompts", "a photo"), []string{`"a photo"`, "{}"}},
		{shortest("eval", "InfoNCE", "-task", "linear", "-targets", "cifar100"), []string{"transfer", "linear has none"}},
		{shortest("eval", "InfoNCE", "-task", "transfer", "-targets", "nowhere"), []string{"nowhere", "no such folder"}},
		{shortest("eval", "DiHT"), []string{"DiHT", "is not trained yet", "vlpx train"}},
		{shortest("eval", "InfoNCE", "-update", "-task", "classes"), []string{"leave -task out"}},
		{shortest("eval", "-update", "falcon/tabel1"), []string{`did you mean "falcon/table1"`}},
		{shortest("eval", "-update", "DiHT"), []string{"no run of these settings is finished", "train first"}},
		{tiny("-framework", "clop"), []string{`"clop"`, `did you mean "CLIP"`, "ALBEF, CLIP"}},
		{tiny("-framework", "clip", "-methods", "MAFA"), []string{"MAFA", "image-text matching", "CLIP has not"}},
		{tiny("-set", "epoch=3"), []string{`"epoch"`, `did you mean "epochs"`}},
		{tiny("-set", "seed=3"), []string{`"seed"`, "-seeds 1,2,3"}},
		{tiny("-set", "soft=.3"), []string{`"soft"`, "smoothing", "progressive"}},
		{tiny("-set", "scheduler.rate=.3"), []string{"schedule.rate is the learning rate", "falcon.rate"}},
		{shortest("show", "settings", "epohcs"), []string{`did you mean "epochs"`, "how often training passes"}},
		{shortest("compare", "GRIT-VLP", "GRIT-VLP, hard=.7"), []string{"same runs", "leave one of them out"}},
		{shortest("compare", "GRIT-VLP", "GRIT-VLP, contrast.weigh=.7"), []string{"contrast.weigh", "contrast.weight"}},
		{tiny("-set", "epochs=three"), []string{`"three"`, "whole number", "how often training passes"}},
		{tiny("-set", "epochs"), []string{"key=value"}},
		{tiny("-set", "epochs=0"), []string{"0 epochs", "at least 1"}},
		{tiny("-set", "schedule.unit=0"), []string{"warm-up", "at least 1"}},
		{tiny("-set", "rerank=0"), []string{"re-ranking 0", "at least 1"}},
		{tiny("-set", "batchsize=1000"), []string{"do not fill one mini-batch of 1000", "smaller batchsize, 80 at most"}},
		{tiny("-set", "heads=5"), []string{"5 heads", "settings width, mlp, visionlayers, heads"}},
		{tiny("-set", "textheads=5"), []string{"5 heads", "settings textwidth"}},
		{tiny("-set", "patch=5"), []string{"patches of 5", "set image"}},
		{tiny("-set", "embed=0"), []string{"embedding (0)", "settings embed"}},
		{tiny("-set", "maxlen=2"), []string{"captions of 2 tokens", "settings maxlen"}},
		{shortest("train", "GRIT-VLP", "-set", "searchspace=9"), []string{"search space 9", "take searchspace=16"}},
		{shortest("train", "GRIT-VLP", "-set", "groupqueue=9"), []string{"queue 9", "take groupqueue="}},
		{shortest("train", "FALCON", "-set", "falcon.quantiles=1"), []string{"1 quantiles", "settings falcon.quantiles"}},
		{tiny("-set", "scenes.density=dense"), []string{"dense", "dbl"}},
		{tiny("-seeds", "1,x"), []string{`"x"`, "1,2,3"}},
		{tiny("-seeds", "-1"), []string{`"-1"`, "1,2,3"}},
		{tiny("-seeds", "1,2,1"), []string{"1 is there twice"}},
		{tiny("-data", "nowhere"), []string{"nowhere", "no such folder", "VLPX_DATA", "scenes"}},
		{tiny("-data", "empty"), []string{"empty", "dataset_*.json", "put"}},
		{tiny("-data", "cut"), []string{"dataset_a.json", "cut off", "get the file again"}},
		{tiny("-data", "two"), []string{"2 dataset files", "keep one"}},
		{tiny("-data", "train", "-set", "batchsize=2", "-without", "NLVR2,VQA"), []string{`no split "val"`, "train, val and test"}},
		{tiny("-vocab", "words.txt"), []string{"words.txt"}},
		{tiny("-home", "file"), []string{"file", "-home"}},
		{tiny("-metrics", "IR@11"), []string{`"IR@11"`, `did you mean "IR@1"`, "vlpx show tasks"}},
		{tiny("-rows", "InfoNSE"), []string{`"InfoNSE"`, `did you mean "InfoNCE"`}},
		{tiny("-width", "wide"), []string{"width wide", "89mm"}},
		{tiny("-typeface", "tines"), []string{`"tines"`, `did you mean "times"`, "computermodern"}},
		{tiny("-tables", "doc"), []string{"-tables doc", "tex"}},
		{tiny("-figures", "doc"), []string{"-figures doc", "svg"}},
		{[]string{"show", "vlpx/map", "-o", "map.jpg"}, []string{"-o map.jpg", "nothing would be written", ".png, .svg"}},
		{tiny("-out", "file"), []string{"file", "-out"}},
		{shortest("eval", "ALBEF"), []string{"ALBEF, seed 1", "train it first"}},
		{shortest("eval", "InfoNCE", "-split", "tset"), []string{`"tset"`, "test"}},
	} {
		t.Run(strings.Join(c.args[max(0, len(c.args)-3):], " "), func(t *testing.T) {
			out, errs, status := executed(t, dir, c.args...)
			lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
			last := lines[len(lines)-1]
			if status != 1 || out != "" || !strings.HasPrefix(last, "vlpx: ") || strings.Contains(errs, "goroutine") ||
				strings.Contains(errs, "Usage") {
				t.Errorf("got status %d, output %q and errors %q, want status 1 and one line of error", status, out, errs)
			}
			for _, want := range c.want {
				if !strings.Contains(last, want) {
					t.Errorf("got %q, want %q in it", last, want)
				}
			}
		})
	}
}
