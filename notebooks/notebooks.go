package notebooks

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
)

// Files returns the notebooks by the name of their file in this folder. An artifact that the catalogue does not know is an
// error.
func Files() (map[string]kernels.Notebook, error) {
	files := map[string]kernels.Notebook{
		"quick-start.ipynb": quickStart(), "ablation-bench.ipynb": ablationBench(), "false-negatives.ipynb": falseNegatives(),
		"your-method.ipynb": yourMethod(),
	}
	for name, notebook := range map[string]func() (kernels.Notebook, error){
		"falcon.ipynb": falcon, "mafa.ipynb": mafa, "srcl.ipynb": srcl, "glofnd.ipynb": glofnd, "tags.ipynb": tags, "blip2.ipynb": blip2,
	} {
		var err error
		if files[name], err = notebook(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// section explains an artifact by its own words and shows it.
func section(a paper.Artifact) []kernels.Cell {
	text := fmt.Sprintf("## %s: %s", a.ID, a.Title)
	if a.Look != "" {
		text += "\n\n**What to look for.** " + a.Look
	}
	options := "Scale: scale, Seeds: seeds"
	if tuned(a) {
		options += ", Without: without"
	}
	return []kernels.Cell{kernels.Markdown(text), kernels.Go(fmt.Sprintf("%%%%\nvlpx.Reproduce(%q, vlpx.Options{%s})", a.ID, options))}
}

// artifacts are those that IDs name; a paper's name stands for all of its.
func artifacts(ids []string) (all []paper.Artifact, err error) {
	for _, id := range ids {
		if strings.Contains(id, "/") {
			a, err := catalogue.Find(id)
			if err != nil {
				return nil, fmt.Errorf("notebooks: %w", err)
			}
			all = append(all, a)
			continue
		}
		all = append(all, slices.DeleteFunc(catalogue.List(), func(a paper.Artifact) bool {
			return a.Paper() != id ||
				a.Status() == paper.NotYet
		})...)
	}
	return all, nil
}

// tuned tells whether an artifact has columns of NLVR2 or VQA beside others, which take further runs of each row.
func tuned(a paper.Artifact) bool {
	tasks := append(paper.NLVR2Columns(), paper.VQAColumns()...)
	further, others := false, false
	for _, c := range a.Columns {
		is := slices.ContainsFunc(tasks, func(t paper.Column) bool { return t.Metric == c.Metric })
		further, others = further || is, others || !is
	}
	return further && others
}

// compose puts an introduction, the choice of the scale and of the seeds, a list with commas, and a section of each artifact together.
func compose(introduction, seeds string, ids ...string) (kernels.Notebook, error) {
	shown, err := artifacts(ids)
	if err != nil {
		return kernels.Notebook{}, err
	}
	notebook := kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown(introduction + "\n\n" + howToRead),
		kernels.Markdown(scales + "\n\n" + howManySeeds),
	}}
	declared := fmt.Sprintf("import \"vlpx.internal/vlpx\"\n\nconst scale = \"tiny\"\n\nvar seeds = []uint64{%s}", seeds)
	if slices.ContainsFunc(shown, tuned) {
		notebook.Cells = append(notebook.Cells, kernels.Markdown(furtherRuns))
		declared += "\n\nvar without = []string{\"NLVR2\", \"VQA\"}"
	}
	notebook.Cells = append(notebook.Cells, kernels.Go(declared))
	for _, a := range shown {
		notebook.Cells = append(notebook.Cells, section(a)...)
	}
	return notebook, nil
}

// howToRead is true of every artifact.
var howToRead = strings.TrimSpace(`
**How to read a verdict.** Each table shows the paper's numbers beside ours, mean ± standard deviation over the seeds, and
under it the claims: one method better than another in one column. Each seed is a block that all methods share, and the error is pooled
over the methods of a table. A verdict takes five seeds; fewer are *exploratory*, a difference with its interval.

- *supported*: the difference points where the paper says, with p < 0.05, corrected for the number of primary claims (*Holm*);
- *contradicted*: it points the other way, with such a p;
- *equivalent*: by two one-sided tests the methods differ by less than a point;
- *undecided*: none of these, which is no evidence against the paper; *seeds* tells how many would show a point;
- *secondary*: no primary claim of the table; its interval is *for it*, *against it* or *open*.

A verdict is about the scale and the data of this notebook. The paper's numbers come from photographs and a model of 210
million parameters, so compare directions, never values. At *tiny*, where the test split has 16 images, ignore every verdict.
`)

var scales = strings.TrimSpace(`
## Scale

The next cell chooses it by one word. *tiny* takes seconds a run and only shows that everything works: expect *undecided*.
*mini* takes up to three minutes a run on two cores; *small* and *paper* want a GPU. What has run once is kept, so a cell that
is run again answers at once, and one that was interrupted goes on from there.
`)

// furtherRuns explains what is left out.
var furtherRuns = strings.TrimSpace(`
And it leaves out two tasks for which each row of a table is fine-tuned, in three further runs. For their columns write
*var without []string*.
`)

// howManySeeds explains why there are so few.
var howManySeeds = strings.TrimSpace(`
It chooses the seeds, too: every method runs once with each. One shows that everything works, two let the claims be tested (with
one they say *not yet*), and for a verdict that is worth something take three or more, 1, 2, 3, from *mini* on.
`)
