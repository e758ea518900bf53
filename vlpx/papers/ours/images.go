package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// imageCeilings asks GloFND's table 1 what knowing the false negatives would give, of few and of many of them.
var imageCeilings = paper.Artifact{
	ID:    "vlpx/ceilings-images",
	Title: "Is there nothing to gain, or does the method not find it? GloFND and FNC beside the exact classes",
	Look: "Whether SogCLR gains a point by leaving out exactly the images of an anchor's class, of which there are one in a hundred by fine " +
		"and one in twenty by coarse classes, and whether FNC and GloFND, which guess, gain as much.",
	Note: "The hypothesis: exact removal gains less than a point where one negative in a hundred is false, and more where one in twenty is. " +
		"Five blocks decide it, by a margin of one point. All rows leave out from the same epoch on; alpha is the share of negatives of the " +
		"anchor's class. Linear evaluation has ten labels of each class, or all; .1 and 1 % of the labels, as GloFND has them, leave nine " +
		"images and ninety for a hundred classes. A row is evaluated by the classes that it is trained by. Scenes have one kind of class: " +
		"there fine and coarse are the same.",
	Data: "cifar100",
	Rows: slices.Concat(labelledRows(fine), labelledRows(coarse)),
	Columns: slices.Concat([]paper.Column{paper.ColumnOf(eval.LinearTen), paper.ColumnOf(eval.LinearTop1(1))}, foundColumns(),
		[]paper.Column{{Group: "Negatives", Name: "taken for false", Metric: negative.FoundShare, Unit: "%"}}),
	Claims:     slices.Concat(labelledClaims(fine), labelledClaims(coarse)),
	Downstream: []plan.Downstream{tenLabels},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// Names of the rows: what the classes of CIFAR-100's images are, and the method.
const (
	fine         = "fine "
	coarse       = "coarse "
	sogCLR       = "SogCLR"
	sogCLRGloFND = "SogCLR + GloFND"
	sogCLRExact  = "SogCLR without the false ones"
)

// labelledRows are SogCLR, those that guess, and the one that knows, by fine or coarse classes.
func labelledRows(classes string) []plan.Row {
	var rows []plan.Row
	for _, of := range [][2]string{{"SogCLR", sogCLR}, {"FNC", "SogCLR + FNC"}, {"GloFND", sogCLRGloFND}, {"SogCLR (Oracle)", sogCLRExact}} {
		row := plan.MethodRow(of[0]).As(classes + of[1])
		rows = append(rows, row.On("simclr", func(s *scale.Scale) {
			if classes == coarse && s.OfFolder() {
				s.Labels, s.Global.Alpha = eval.CoarseLabels, 1./20
			}
		}))
	}
	return rows
}

// labelledClaims are that knowing gains over SogCLR, that guessing does, and that knowing gains over guessing.
func labelledClaims(classes string) []paper.Claim {
	var claims []paper.Claim
	for _, m := range []eval.Metric{eval.LinearTen, eval.LinearTop1(1)} {
		claims = slices.Concat(claims, paper.Above(classes+sogCLRExact, classes+sogCLR, "", m),
			paper.Above(classes+sogCLRGloFND, classes+sogCLR, "", m), paper.Above(classes+sogCLRExact, classes+sogCLRGloFND, "", m))
	}
	return claims
}

// tenLabels is linear evaluation on ten labels of each class, of models whose runs have measured it at shares.
var tenLabels = plan.Downstream{Name: "ten labels", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	var all []plan.Job
	for _, own := range t.Own {
		all = append(all, plan.Job{Run: own, Task: eval.TenLabels{}})
	}
	return all, nil
}}
