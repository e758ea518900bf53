package mafa

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// onWeb is BLIP-2 on captions from the web, by itself or with a method.
func onWeb(method string, numbers ...float64) plan.Row {
	row := blip2.Row(method, numbers...)
	return row.On("BLIP-2", func(s *scale.Scale) { s.CaptionNoise = plan.WebNoise })
}

// table7 is retrieval with BLIP-2 (MAFA, Table 7).
var table7 = paper.Artifact{
	ID:    "mafa/table7",
	Title: "BLIP-2: retrieval",
	Look:  "Whether grouped sampling alone breaks BLIP-2, as the paper reports, by 17 points of TR@1, and whether MAFA mends it.",
	Note:  "Pre-trained on noisy captions, fine-tuned for retrieval on clean ones. What the exact relation would mend is in vlpx/blip2.",
	Rows: []plan.Row{
		onWeb("", 82.6, 96.3, 98.2, 66.1, 86.8, 92.0).Tuned(scale.PlainTuning),
		onWeb("GRIT-VLP", 65.9, 89.1, 95.0, 52.5, 79.4, 87.3).Tuned(scale.PlainTuning),
		onWeb("MAFA", 83.7, 96.6, 98.4, 66.7, 86.8, 91.9).Tuned(scale.PlainTuning),
	},
	Columns: slices.Concat(paper.Retrieval(), paper.OwnColumns()),
	Claims: slices.Concat(
		paper.Above("BLIP-2", "BLIP-2 + GRIT", "section 5.5", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + MAFA", "BLIP-2", "section 5.5", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + MAFA", "BLIP-2 + GRIT", "section 5.5", eval.TR1, eval.IR1),
		paper.AboveByCosine("BLIP-2 + MAFA", "BLIP-2 + GRIT")),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// zeroShot are the columns of tables 8 and 20: answers to questions, those of the second data and those that take several steps in the
// places of OK-VQA and GQA, and captions.
func zeroShot() []paper.Column {
	return slices.Concat(
		paper.Under("VQA v2", "", eval.WrittenAnswers),
		paper.Under("OK-VQA", plan.SecondPrefix, eval.WrittenAnswers),
		paper.Under("GQA", "", eval.WrittenCompose),
		paper.Under("Captions, zero-shot", "", eval.BLEU4, eval.CIDEr))
}

// ownZeroShot are our columns beside them.
func ownZeroShot() []paper.Column {
	return slices.Concat(
		paper.Under("Captions, zero-shot", "", eval.SPICE, eval.TrueCaptions),
		paper.Under("VQA v2, by kind", "", eval.WrittenYesNo, eval.WrittenNumber, eval.WrittenOther))
}

// questionsNote tells what stands in for the papers' sets of questions.
const questionsNote = "Where the paper has OK-VQA ours are the questions about the second data, in whose place a folder of questions can " +
	"be named, and where it has GQA the questions that compare objects or relate them. True are captions that the scene makes true."

// table8 is zero-shot question answering and captioning with BLIP-2 (MAFA, Table 8).
var table8 = paper.Artifact{
	ID:    "mafa/table8",
	Title: "BLIP-2: zero-shot VQA and captioning",
	Look: "Whether a first stage that meets fewer false negatives makes a second stage that writes better. Yes or no by chance is " +
		"50. Nobody taught the language model to answer questions about images.",
	Note:       questionsNote,
	Rows:       []plan.Row{onWeb("", 46.6, 23.8, 29.1, 35.6, 118.8), onWeb("MAFA", 50.8, 29.0, 31.8, 37.6, 125.4)},
	Columns:    append(zeroShot(), ownZeroShot()...),
	Downstream: []plan.Downstream{blip2.Generation, blip2.GenerationElsewhere},
	Claims:     paper.AboveIn("BLIP-2 + MAFA", "BLIP-2", "section 5.5", zeroShot()...),
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// table20 has positives of ECM as data of the second stage (MAFA, Table 20).
var table20 = paper.Artifact{
	ID:    "mafa/table20",
	Title: "BLIP-2: positives of ECM in stage 2",
	Look: "Whether pairs that the first stage finds teach the second more than its own pairs again, and how many of them are " +
		"true. The first stage is the same, without MAFA. The second stage has no negatives, so that mining can only add data.",
	Note: questionsNote + " The sum of the paper is of its five columns. Added are pairs in number, and of those how many are true.",
	Rows: []plan.Row{
		adding("Once", "", 46.6, 23.8, 29.1, 35.6, 118.8),
		adding("Repeated", plan.RepeatedPairs, 47.9, 24.9, 30.8, 35.8, 118.3),
		adding("ECM", plan.MinedPairs, 47.4, 27.0, 30.9, 37.5, 123.6),
	},
	Columns: slices.Concat(zeroShot(), ownZeroShot(), []paper.Column{
		{Group: "Added", Name: "pairs", Metric: run.AddedPairs},
		{Group: "Added", Name: "true", Metric: run.AddedTrue, Unit: "%"},
	}),
	Downstream: []plan.Downstream{blip2.Generation, blip2.GenerationElsewhere},
	Claims: slices.Concat(paper.AboveIn("ECM", "Repeated", "appendix G.8", zeroShot()[1:]...),
		paper.AboveIn("Repeated", "Once", "Table 20", zeroShot()[:3]...)),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// adding is BLIP-2 on captions from the web whose second stage gets pairs besides.
func adding(name string, what plan.Added, numbers ...float64) plan.Row {
	row := onWeb("", numbers...).As(name)
	row.Added = what
	return row
}

// noCaps are the columns of captions of the second data, by how much of it is known.
func noCaps() []paper.Column {
	var columns []paper.Column
	for _, d := range []string{"in", "near", "out"} {
		columns = append(columns, paper.Under("NoCaps, "+d+"-domain", plan.SecondPrefix, eval.InDomain(eval.CIDEr, d),
			eval.InDomain(eval.SPICE, d))...)
	}
	return append(columns, paper.Under("NoCaps, overall", plan.SecondPrefix, eval.CIDEr, eval.SPICE)...)
}

// table19 is fine-tuned captioning with BLIP-2 (MAFA, Table 19).
var table19 = paper.Artifact{
	ID:    "mafa/table19",
	Title: "BLIP-2: fine-tuned captioning",
	Look: "Whether MAFA's first stage still shows after fine-tuning, and in what the model has never seen. NoCaps asks for " +
		"objects that no training caption names.",
	Note: "In the place of NoCaps stand scenes of a second world, whose shapes the captions of training name all, some or none of. SPICE " +
		"is by our scene graphs, exact where the language is known and parsed elsewhere.",
	Rows: []plan.Row{
		onWeb("", 109.55, 14.46, 105.83, 14.26, 106.33, 13.51, 106.47, 14.14, 40.7, 139.7),
		onWeb("MAFA", 114.67, 15.19, 111.74, 14.88, 113.29, 14.27, 112.48, 14.80, 41.6, 142.5),
	},
	Columns: append(noCaps(), append(paper.Under("Fine-tuned", "", eval.BLEU4, eval.CIDEr),
		paper.Under("Fine-tuned", "", eval.SPICE, eval.TrueCaptions)...)...),
	Downstream: []plan.Downstream{blip2.Captioning, blip2.NoCaps},
	Claims: append(paper.AboveIn("BLIP-2 + MAFA", "BLIP-2", "appendix G.8", noCaps()[6:]...),
		paper.AboveIn("BLIP-2 + MAFA", "BLIP-2", "appendix G.8", paper.Under("Fine-tuned", "", eval.BLEU4, eval.CIDEr)...)...),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}
