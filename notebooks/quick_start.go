package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// quickStart is the notebook that a newcomer opens first.
func quickStart() kernels.Notebook {
	return kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown(quickIntroduction),
		kernels.Go("import \"vlpx.internal/vlpx\""),
		kernels.Go("%%\nvlpx.Show(\"falcon\")"),
		kernels.Markdown(quickReproduce),
		kernels.Go("%%\nvlpx.Reproduce(\"falcon/table1\", vlpx.Options{\n\tScale: \"tiny\", Seeds: []uint64{1, 2}, Methods: " +
			"[]string{\"ALBEF\", \"GRIT-VLP\", \"FALCON\", \"InfoNCE\"},\n\tWithout: []string{\"NLVR2\", \"VQA\"}, // which take " +
			"further runs\n})"),
		kernels.Markdown(quickRead),
		kernels.Markdown(quickShow),
		kernels.Go("%%\nvlpx.Show(\"falcon/table1\", vlpx.Options{Methods: []string{\"ALBEF\", \"GRIT-VLP\", \"FALCON\"}})"),
		kernels.Markdown(quickRun),
		kernels.Go("%%\nvlpx.Run(\"FALCON\", vlpx.Options{Scale: \"tiny\", Seeds: []uint64{1, 2}})"),
		kernels.Markdown(quickCompare),
		kernels.Go(quickComparison),
		kernels.Markdown(quickNext),
	}}
}

var quickIntroduction = strings.TrimSpace(`
# Quick start

vlpx is a laboratory for **false negatives in vision-language pre-training**: captions that are true of another image, too, and yet
count as wrong. It reproduces the tables and figures of the papers that deal with them, and is a place to try what you think of.

Run a cell with *Shift-Enter*. Cells are Go; each is a program of its own. What a cell *declares* (imports, constants, types,
functions) lasts until the kernel restarts. What it *runs* stands below a line with **%%** and is gone afterwards: so results live in
a store on disk, not in variables, and a cell that is run again answers from there. The kernel's stop button (■) stops training; a
checkpoint is kept, and the same cell goes on from it.

Three things to know of Go here. A call without **%%** above it is an error, *expected declaration*. What a cell makes below **%%** is
gone with it, so use it in the same cell. And *var x = ...* without **%%** is evaluated again in every later cell, so keep that for
constants; *%ls* lists what is declared, *%rm x* forgets it. Strings stand in double quotes, and lists are *[]string{"a", "b"}*.

The first cell makes the package known. The second lists what there is of FALCON; *vlpx.Show("")* lists all papers.
`)

var quickReproduce = strings.TrimSpace(`
## Reproduce

*Reproduce* runs what is missing of an artifact and shows it beside the paper's numbers. At scale *tiny* a run takes about a second and
shows only that everything works; *mini* (minutes a run on two cores) is the smallest at which numbers mean something; *small* and *paper*
want a GPU. The data are generated scenes, of which it is known exactly which caption is true of which image.

All options are documented where you write them: put the cursor on *vlpx.Options* and press *Shift-Tab*.
`)

var quickRead = strings.TrimSpace(`
**How to read the table**

- Each row is a method, in lines: what the *paper* reports, of photographs and a large model; what *this store* holds, mean ±
  standard deviation over *n* seeds; and, at *mini*, the project's own runs as *reference*. The best of a line's column is bold.
- **Text Retrieval** (TR): an image asks for its captions; **Image Retrieval** (IR): a caption asks for its image. R@k is the share
  found among the first k of the test split, after image-text matching (ITM) has re-ranked what the contrastive loss (ITC) put
  first. **Without re-ranking** leaves that out: *mAP* accepts every true caption or image, *IR@1 false* lets only false ones
  compete.
- **False negatives** were counted in training: true pairs among the negatives *in batch*, and among the *hardest* ones.
- A **claim** says one row is better than another in one column; *ours* are not the paper's. Each seed is a block that all rows share.
  *supported* or *contradicted* at p < .05, corrected for the number of primary claims (*Holm*); *equivalent* where two one-sided
  tests say less than a point; else *undecided*. With fewer than five seeds it is *exploratory*, with fewer than two *not yet*. At
  *tiny*, with 16 test images, ignore every verdict.
`)

var quickShow = strings.TrimSpace(`
## Show

*Show* runs nothing. Of an artifact it shows what your store holds, and the *reference* results: the project's own runs at scale *mini*.
Without *Scale* it is *mini*, too: what ran above at *tiny* is other runs. So all below is of *shipped* seeds, verdicts and figure, too.
`)

var quickRun = strings.TrimSpace(`
## Run

*Run* trains one method and shows all that was measured. While it trains, its curves are drawn; the figure in the end follows the
validation split, without re-ranking, where the table is of the test split. *vlpx.Show("methods")* lists the methods.
`)

var quickCompare = strings.TrimSpace(`
## Compare

*Compare* sets methods side by side, each against the first: the same seed means the same data, the same order
and the same first weights wherever the methods allow. Settings stand behind a name: *"GRIT-VLP, searchspace=16"*.
*vlpx.Show("settings")* lists them with what they are; *vlpx.Show("settings epochs")* tells one in full. A setting that is misspelt
is an error that suggests the right one.

All these calls return a report, and *Save* writes it: the figure as .png, .svg or .pdf for a paper, the table as .csv, .md, .html
or .json.
`)

const quickComparison = `
%%
report := vlpx.Compare([]string{
	"InfoNCE", "InfoNCE, temperature=.2", "GRIT-VLP", "GRIT-VLP, searchspace=16",
}, vlpx.Options{Scale: "tiny", Seeds: []uint64{1, 2, 3}})
vlpx.Save(report, "comparison.pdf", "comparison.svg", "comparison.csv")
`

var quickNext = strings.TrimSpace(`
## Where to go from here

| notebook | what it is for |
| --- | --- |
| *ablation-bench* | compose a method with selects and sliders; run, stop and compare it with buttons |
| *false-negatives* | pick an image or a caption and see its negatives: which are false, and what each method does with them |
| *your-method* | write a sampler and a loss in forty lines, and run them beside the papers'; a task and a framework, too |
| *falcon*, *mafa*, *srcl* | every table and figure of a paper, in its order, with what to look for |

Your own photographs: *Data: "DIR"* in the options, a folder with COCO's or Flickr's captions in Karpathy's layout
(*dataset_NAME.json* and *images/*). Training without a notebook: *vlpx reproduce falcon/table1* does the same in a shell, and both share
the store. *vlpx report* puts everything that the store has on one page.
`)
