package ours

import (
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// human asks people, or the exact relation, what the papers' retrieval cannot tell: whether a method knows a caption that is true
// of the image although it was written for another.
var human = paper.Artifact{
	ID:    "vlpx/human",
	Title: "How methods rank true captions of other images, by people's judgement (flickr8k, coco) or the exact relation (scenes)",
	Look: "Whether methods that spare or convert false negatives score such captions above false ones (50 % is chance), and " +
		"whether MAFA's discriminator Con-D, which is fine-tuned for retrieval, finds more of them at its threshold of .8. On " +
		"flickr8k people judged 50,601 pairs and found 2,266 true.",
	Note: "On flickr8k people judged 50,601 pairs of a test image with a caption of another: experts 5,664, a crowd 47,109, some both. " +
		"True are the 2,266 to which the experts gave 3 of 4 on average or half of the crowd said yes. AUC, recall and precision are of " +
		"12,266 pairs, all true ones and 10,000 of the false ones, drawn once. A pair that nobody judged is unknown: it competes in " +
		"R@1. On coco ECCV Caption has, for 1,261 images and 1,332 captions of Karpathy's test split, what people verified of five " +
		"models' proposals, and CxC's pairs: 17.9 captions an image and 8.5 images a caption. What such a query does not list counts " +
		"as false.",
	Rows: methodRows("ALBEF", "GRIT-VLP", "S-ITC", "MAFA", "SRCL", "DiHT", "FALCON", "InfoNCE", "Con-D"),
	Columns: slices.Concat(judgedAUC(), []paper.Column{
		judgedMatching(eval.JudgedRecall5), judgedMatching(eval.JudgedPrecision5),
		judgedMatching(eval.JudgedRecall8), judgedMatching(eval.JudgedPrecision8),
		recall1("text, own", eval.TR1), recall1("text, true accepted", eval.TR1True),
		recall1("image, own", eval.IR1), recall1("image, true accepted", eval.IR1True),
		recall1("text, ECCV", eval.TR1ECCV), recall1("image, ECCV", eval.IR1ECCV),
		recall1("text, CxC", eval.TR1CxC), recall1("image, CxC", eval.IR1CxC),
		precision("text mAP@R", eval.TRMAPR), precision("image mAP@R", eval.IRMAPR),
		precision("text R-Precision", eval.TRRPrecision), precision("image R-Precision", eval.IRRPrecision),
	}),
	Claims: slices.Concat(aboveGRIT("MAFA"), aboveGRIT("FALCON"), aboveGRIT("Con-D")),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// recall1 describes a column of recall at 1, and precision one of precision by the answers of ECCV Caption.
func recall1(name string, m eval.Metric) paper.Column {
	c := grouped("R@1", name, m)
	c.Panel.Axis = "recall"
	return c
}

func precision(name string, m eval.Metric) paper.Column {
	c := grouped(string(datasets.ECCV), name, m)
	c.Panel.Axis = "precision"
	return c
}

// judgedAUC are the columns of how the cosine and image-text matching rank judged pairs.
func judgedAUC() []paper.Column {
	const group = "AUC of judged pairs"
	return []paper.Column{grouped(group, "cosine", eval.CosinePrefix+eval.JudgedAUC), grouped(group, "ITM", eval.JudgedAUC)}
}

// judgedMatching describes a column of image-text matching as a discriminator of judged pairs.
func judgedMatching(m eval.Metric) paper.Column {
	return grouped("Judged pairs by ITM", paper.ColumnOf(m).Name, m)
}

// grouped describes a column of a metric in per cent under a heading of the artifact's own.
func grouped(group, name string, m eval.Metric) paper.Column {
	return paper.Column{Group: group, Name: name, Metric: string(m), Unit: "%"}
}

// aboveGRIT claims that a row ranks judged pairs better than GRIT-VLP.
func aboveGRIT(better string) []paper.Claim {
	var claims []paper.Claim
	for _, c := range judgedAUC() {
		claims = append(claims, paper.Claim{Better: better, Than: "GRIT-VLP", In: c})
	}
	return claims
}

// methodRows are rows of registered methods, under their own names.
func methodRows(methods ...string) []plan.Row {
	var rows []plan.Row
	for _, name := range methods {
		rows = append(rows, plan.MethodRow(name))
	}
	return rows
}
