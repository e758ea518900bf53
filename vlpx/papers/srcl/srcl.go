package srcl

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/eval"
	albef "vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Artifacts are the artifacts of SRCL (Jiang et al., 2023).
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	table1,
	table2,
	table3,
	table4,
	{ID: "srcl/table5", Title: "Fine-tuning hyper-parameters", Look: "Where a preset departs from the paper's settings.",
		Table: tuningTable},
	figure3,
	figure4,
	figure5,
	figure6,
	figure7,
	figure8,
}

var (
	// weightedTuning is SRCL's retrieval fine-tuning: its loss by the model's own weights, and ITM.
	weightedTuning = func(scale.Scale) negative.Method { return selfRegulated(0) }
	// unweightedTuning is weightedTuning with all negatives alike.
	unweightedTuning = func(scale.Scale) negative.Method { return selfRegulated(flat) }
)

// flat is a temperature inside the similarity at which a negative's weight is one to within two millionths, whatever its cosine.
const flat = 1e6

func selfRegulated(temperature float64) negative.Method {
	return negative.Method{Batches: negative.Uniform{}, Contrast: negative.SelfRegulated{Temperature: temperature},
		Matching: negative.Sampled{}}
}

// regulatedRow is SRCL with the temperature inside the similarity; 0 for none, as the paper prints it.
func regulatedRow(name string, temperature float64, numbers ...float64) plan.Row {
	return informedRow(name, func(s scale.Scale) negative.Contrast {
		return negative.Regulated{Epochs: s.Epochs, Temperature: temperature}
	}, numbers)
}

// prunedRow is InfoNCE without the negatives whose weight is below a threshold: ALBEF++.
func prunedRow(name string, threshold, temperature float64, numbers ...float64) plan.Row {
	return informedRow(name, func(s scale.Scale) negative.Contrast {
		return negative.Pruned{Weights: negative.Regulated{Epochs: s.Epochs, Temperature: temperature}, Threshold: threshold}
	}, numbers)
}

// informedRow is SRCL with another contrast.
func informedRow(name string, contrast func(scale.Scale) negative.Contrast, numbers []float64) plan.Row {
	return plan.MethodRow("SRCL", numbers...).As(name).With(func(s scale.Scale, m *negative.Method) { m.Contrast = contrast(s) })
}

// oneDifference tells which row the claims of SRCL's tables are about.
const oneDifference = "SRCL's ALBEF differs from it in the loss alone, which is InfoNCE (caption of Table 2). Ours distils from momentum " +
	"encoders and a queue besides; the row without weights differs in the weights alone, and the claims are about that one first."

// distils is added to the source of a claim about our ALBEF.
const distils = ", but ours distils"

// onFlickr tells where the numbers of SRCL's tables 1 and 4 are from.
const onFlickr = "The paper's numbers are of Flickr30K, not of COCO. "

// unweighted is what SRCL and ALBEF++ are without their weights: the same loss, with all negatives alike. It is SRCL's ALBEF.
func unweighted(name string) plan.Row { return prunedRow(name, 0, 0) }

// recallsAt1And5 are the retrieval columns of SRCL's tables 1 and 4.
func recallsAt1And5() []paper.Column {
	return []paper.Column{paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.TR5), paper.ColumnOf(eval.IR1), paper.ColumnOf(eval.IR5)}
}

// table1 removes false negatives as SRCL's weights tell them (SRCL, Table 1). The paper does not say at which threshold; it
// praises 0.2 (section 4.3 and appendix F).
var table1 = paper.Artifact{
	ID:    "srcl/table1",
	Title: "Removing negatives below a weight threshold",
	Look: fmt.Sprintf("Whether leaving out the negatives with a weight below 0.2 helps. By the printed formula, without a "+
		"temperature inside "+
		"the similarity, no weight is so low and nothing is removed (see weights below 0.2): ALBEF++ therefore has one of %g, by which "+
		"about as many negatives are removed as are false. Nothing removed differs from it in that alone; ALBEF distils besides.",
		negative.Sharp),
	Note: onFlickr + "It does not say at which threshold; 0.2, the one that it praises, and the temperature are ours. Its ALBEF is ours " +
		"with nothing removed: the row ALBEF distils from momentum encoders and a queue besides, and so the claims are not about it.",
	Rows: []plan.Row{
		plan.MethodRow("ALBEF", 91.02, 98.23, 77.44, 93.03, 76.06),
		plan.MethodRow("ALBEF++", 92.12, 98.98, 78.37, 93.61, 76.33),
		prunedRow("ALBEF++ (no temperature)", 0.2, 0),
		unweighted("Nothing removed"),
	},
	Columns: slices.Concat(recallsAt1And5(), paper.VQAColumns()[:1], paper.OwnColumns(), weightColumns()),
	Claims: slices.Concat(
		paper.Above("ALBEF++", "Nothing removed", "Table 1", eval.TR1, eval.TR5, eval.IR1, eval.IR5),
		paper.AboveByCosine("ALBEF++", "Nothing removed")),
	Downstream: []plan.Downstream{albef.VQA},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// table2 compares fine-tuned models (SRCL, Table 2). Its other rows are of models that are not ours.
var table2 = paper.Artifact{
	ID:    "srcl/table2",
	Title: "Fine-tuned retrieval",
	Look: "Whether SRCL's lead outlasts fine-tuning, in which its own similarity alone makes the weights. The paper's rows of E2E-VLP, " +
		"UNITER, OSCAR, ALIGN, VinVL and ViLT are left out.",
	Note: oneDifference,
	Rows: []plan.Row{
		plan.MethodRow("ALBEF", 76.6, 93.2, 96.9, 58.4, 83.1, 90.2, 94.6, 99.8, 100.0, 83.9, 96.8, 98.7).Tuned(scale.DistilledTuning),
		regulatedRow("SRCL", 0, 77.3, 94.1, 97.2, 60.4, 83.9, 90.8, 96.3, 99.8, 100.0, 85.8, 97.8, 99.0).Tuned(weightedTuning),
		unweighted("SRCL without weights").Tuned(unweightedTuning),
	},
	Columns: slices.Concat(paper.Retrieval(), paper.SecondRecalls(), []paper.Column{paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP),
		paper.Cosine(eval.IR1False)}),
	Claims: slices.Concat(
		paper.Above("SRCL", "SRCL without weights", "section 4.2.1", eval.TR1, eval.IR1),
		paper.Above("SRCL", "ALBEF", "section 4.2.1"+distils, eval.TR1, eval.IR1), paper.AboveByCosine("SRCL", "SRCL without weights")),
	Downstream: []plan.Downstream{plan.Second},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// table3 is question answering and reasoning over two images (SRCL, Table 3). Its other rows are of models that are not ours.
var table3 = paper.Artifact{
	ID:    "srcl/table3",
	Title: "VQA and NLVR2",
	Look: "Whether SRCL's lead in retrieval is one in understanding, too. The paper's rows of ViLBERT, LXMER, UNITER, OSCAR, " +
		"VinVL, E2E-VLP and ViLT are left out. A statement is right by chance in half of the cases.",
	Note: oneDifference,
	Rows: []plan.Row{
		plan.MethodRow("ALBEF", 76.09, 76.32, 82.21, 83.11),
		regulatedRow("SRCL", 0, 76.66, 76.93, 83.43, 83.95),
		unweighted("SRCL without weights"),
	},
	Columns:    append(paper.VQAColumns(), paper.NLVR2Columns()...),
	Downstream: []plan.Downstream{albef.VQA, albef.NLVR2},
	Claims: slices.Concat(
		paper.AboveIn("SRCL", "SRCL without weights", "section 4.2.2", paper.VQAColumns()[1], paper.NLVR2Columns()[1]),
		paper.AboveIn("SRCL", "ALBEF", "section 4.2.2"+distils, paper.VQAColumns()[1], paper.NLVR2Columns()[1])),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// table4 compares models without fine-tuning (SRCL, Table 4). Its other rows are of models that are not ours.
var table4 = paper.Artifact{
	ID:    "srcl/table4",
	Title: "Zero-shot retrieval",
	Look: "Whether SRCL is above ALBEF, and whether above the same loss without its weights. The paper's rows of CLIP, ALIGN, " +
		"FILIP and UNITER, other models on other data, are left out. AUC tells whether the weights know false negatives at all: " +
		"how often one weighs less than a true negative.",
	Note: onFlickr + oneDifference,
	Rows: []plan.Row{
		plan.MethodRow("ALBEF", 91.02, 98.23, 77.44, 93.03),
		regulatedRow("SRCL", 0, 92.42, 99.41, 79.43, 94.46),
		regulatedRow(sharpSRCL, negative.Sharp),
		unweighted("SRCL without weights"),
	},
	Columns: slices.Concat(recallsAt1And5(), paper.OwnColumns(), weightColumns()),
	Claims: slices.Concat(
		paper.Above("SRCL", "SRCL without weights", "section 4.2.4", eval.TR1, eval.IR1),
		paper.Above("SRCL", "ALBEF", "section 4.2.4"+distils, eval.TR1, eval.IR1),
		paper.AboveByCosine("SRCL", "SRCL without weights"), paper.AboveByCosine(sharpSRCL, "SRCL without weights")),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// sharpSRCL is the name of SRCL with the temperature.
var sharpSRCL = fmt.Sprintf("SRCL (temperature %g)", negative.Sharp)

// figure4 follows retrieval over the amount of data (SRCL, Figure 4, whose numbers are lost; the paper takes 4 to 12 million
// images).
var figure4 = paper.Artifact{
	ID:    "srcl/figure4",
	Title: "Retrieval against amount of pre-training data",
	Look: "Whether SRCL is above ALBEF at every amount, and whether its lead grows. The epochs are the same, and so fewer images are " +
		"fewer steps.",
	Note:       oneDifference,
	Rows:       paper.RowsOf(figure4Points),
	Columns:    slices.Concat(recallsAt1And5(), paper.VQAColumns()[1:], paper.OwnColumns()),
	Downstream: []plan.Downstream{albef.VQA},
	Claims: slices.Concat(
		paper.Above("SRCL (1/4)", "SRCL without weights (1/4)", "section 4.4", eval.TR1, eval.IR1),
		paper.Above("SRCL (1/2)", "SRCL without weights (1/2)", "section 4.4", eval.TR1, eval.IR1),
		paper.Above("SRCL (all)", "SRCL without weights (all)", "section 4.4", eval.TR1, eval.IR1),
		paper.GainAbove("SRCL (all)", "SRCL without weights (all)", "SRCL (1/4)", "SRCL without weights (1/4)", "section 4.4",
			eval.TR1, eval.IR1)),
	Table: paper.Comparison,
	Figure: paper.Over("share of the training images", figure4Points, paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.IR1),
		paper.VQAColumns()[1],
		paper.Cosine(eval.IRMAP), paper.Cosine(eval.IR1False)),
}

var figure4Points = slices.Concat(
	paper.PortionPoints(plan.MethodRow("ALBEF")),
	paper.PortionPoints(regulatedRow("SRCL", 0)),
	paper.PortionPoints(unweighted("SRCL without weights")))
