package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/falcon"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Artifacts are the project's own artifacts: what only data with an exact relation, or with people's judgements, can tell.
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	rewardLandscape,
	fairScheduler,
	{
		ID:    "vlpx/policy",
		Title: "What FALCON's scheduler chooses for simple and for complex anchors",
		Look: "Whether complex anchors get lower quantiles than simple ones, as FALCON has it: they are slower to align, while simple ones " +
			"allow higher ones later. Simple anchors have short captions, which are true of more images, so that their false negatives " +
			"gather at the top: a scheduler that minds these would choose the other way round.",
		Rows: []plan.Row{
			plan.MethodRow("FALCON").As("Instance-based: true"), sharedRow("Instance-based: false"),
		},
		Columns: classColumns(),
		Claims: []paper.Claim{
			{Better: "Instance-based: true", Than: "Instance-based: false", In: paper.Cosine(eval.IRMAP)},
		},
		Table:  paper.Comparison,
		Figure: paper.Curves,
	},
	{
		ID:    "vlpx/quantile",
		Title: "FALCON's scheduler against the best fixed quantile",
		Look:  "Whether a learned schedule beats the quantile that is best on the validation split.",
		Rows: slices.Concat(
			[]plan.Row{plan.MethodRow("InfoNCE")}, falcon.QuantileRows(),
			[]plan.Row{plan.MethodRow("FALCON"), sharedRow("FALCON (shared quantile)")}),
		Columns: slices.Concat(paper.Validation(eval.IRMAP, eval.IR10), []paper.Column{
			paper.Cosine(eval.TR10), paper.Cosine(eval.IR1), paper.Cosine(eval.IR10), paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP),
			paper.Cosine(eval.IR1False), paper.FalseInBatch(),
		}),
		Claims: slices.Concat(
			paper.AboveByCosine("FALCON", paper.BestOfSweep), paper.AboveByCosine("FALCON (shared quantile)", paper.BestOfSweep),
			paper.AboveByCosine("q = 0.9", "q = 1"),
			paper.AboveByCosine("q = 0.9", "InfoNCE"), paper.AboveByCosine("q = 1", "InfoNCE")),
		Sweep:  []string{"q = 0.5", "q = 0.8", "q = 0.9", "q = 0.95", "q = 1"},
		Table:  paper.Comparison,
		Figure: paper.Bars,
	},
	{
		ID:    "vlpx/density",
		Title: "FALCON's scheduler when captions say less and more of the hard negatives are true",
		Look:  "Whether the scheduler turns to easier negatives where more of the hard ones are true.",
		Rows: []plan.Row{
			densityRow("spec"), densityRow("quart"), densityRow("half"),
		},
		Columns: classColumns(),
		Claims: []paper.Claim{
			{Better: "spec density", Than: "quart density", In: paper.Chosen()[0]},
			{Better: "quart density", Than: "half density", In: paper.Chosen()[0]},
		},
		Table:  paper.Comparison,
		Figure: paper.Curves,
	},
	onCLIP,
	human,
	agreement,
	discriminators,
	ceilings,
	imageCeilings,
	leftOut,
	costMap,
	written,
	tagged,
	filters,
	queried,
	captions,
	questions,
}

// sharedRow is FALCON with one quantile for all anchors of a mini-batch.
func sharedRow(name string) plan.Row {
	return plan.MethodRow("FALCON").As(name).With(plan.Part(func(_ scale.Scale, b *negative.Scheduled) { b.Shared = true }))
}

// densityRow is FALCON on scenes of another density of false negatives.
func densityRow(level string) plan.Row {
	return plan.MethodRow("FALCON").As(level + " density").Varying(func(s *scale.Scale) { s.Scenes.Density = level })
}

// classColumns tell what was chosen for anchors of each complexity, and what of it was a false negative.
func classColumns() []paper.Column {
	columns := paper.Chosen()
	for _, class := range negative.Complexity {
		columns = append(columns, paper.Column{Group: "Quantile chosen", Name: class, Metric: negative.ClassMean + class, Neutral: true,
			Axis: "quantile"})
	}
	for _, class := range negative.Complexity {
		columns = append(columns, paper.Column{Group: "False negatives chosen", Name: class, Metric: negative.ClassChosen + class,
			Unit: "%", Lower: true, Axis: "share"})
	}
	return append(columns, paper.Cosine(eval.IRMAP))
}
