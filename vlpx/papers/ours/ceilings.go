package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// ceilings asks of methods that look for false negatives what they would gain by finding all of them, and no other.
var ceilings = paper.Artifact{
	ID:    "vlpx/ceilings",
	Title: "Is there nothing to gain, or does the method not find it? SRCL and MAFA beside the exact relation, under GRIT's mini-batches",
	Look: "Whether exact knowledge gains a point over none, under mini-batches in which many negatives are false; and whether the method, " +
		"which guesses, gains as much. Where the former gains nothing the method cannot; where it does, the method does not find it.",
	Note: "The hypothesis: knowing gains a point at least, since false negatives are many here, and guessing gains less. Five blocks decide " +
		"it, by a margin of one point. Exact weights are 0 for what the relation calls true and one for all others, which then stand for all; " +
		"they hide the former from matching, too, which SRCL's weights do not. The exact judge says of each pair what the relation says. " +
		"vlpx/leftout has GRIT-VLP itself without the false ones.",
	Rows: []plan.Row{
		underGRIT(unweighted, alike), underGRIT(regulated, nil), underGRIT(exactly, func(s scale.Scale, m *negative.Method) {
			alike(s, m)
			m.LeftOut = negative.Exact{}
		}),
		plan.MethodRow("S-ITC").As(unmined), plan.MethodRow("MAFA").As(mined), plan.MethodRow("MAFA (Oracle)").As(judgedExactly),
	},
	Columns: slices.Concat(mapColumns(), []paper.Column{paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.IR1), paper.FalseInBatch(),
		paper.FalseHardest()}, paper.MinedColumns()),
	Claims: slices.Concat(gains(unweighted, regulated, exactly), gains(unmined, mined, judgedExactly)),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// The rows of vlpx/ceilings: of each method what knows nothing, what guesses, and what knows.
const (
	unweighted    = "SRCL under GRIT without weights"
	regulated     = "SRCL under GRIT"
	exactly       = "SRCL under GRIT with exact weights"
	unmined       = "MAFA without connections"
	mined         = "MAFA"
	judgedExactly = "MAFA with the exact judge"
)

// underGRIT is SRCL under GRIT-VLP's mini-batches, with a change of its parts; nil for none.
func underGRIT(name string, change func(scale.Scale, *negative.Method)) plan.Row {
	row := plan.MethodRow("SRCL").As(name).With(func(s scale.Scale, m *negative.Method) {
		m.Batches = scale.Registered("GRIT-VLP").Parts(s).Batches
	})
	if change != nil {
		row = row.With(change)
	}
	return row
}

// alike weighs all of SRCL's negatives alike: at so high a temperature no two are more similar than others.
var alike = plan.Part(func(_ scale.Scale, c *negative.Regulated) { c.Temperature = 1e6 })

// gains are the claims that knowing gains over nothing, that guessing does, and that knowing gains over guessing.
func gains(nothing, guessing, knowing string) []paper.Claim {
	var claims []paper.Claim
	for _, in := range []paper.Column{paper.Cosine(eval.IRMAP), paper.ColumnOf(eval.IRMAP), paper.ColumnOf(eval.IR1)} {
		claims = append(claims, paper.Claim{Better: knowing, Than: nothing, In: in}, paper.Claim{Better: guessing, Than: nothing, In: in},
			paper.Claim{Better: knowing, Than: guessing, In: in})
	}
	return claims
}
