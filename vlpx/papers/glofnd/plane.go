package glofnd

import (
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// plane is t-SNE of the embeddings (GloFND's figure of SogCLR without and with it).
var plane = paper.Artifact{
	ID:    "glofnd/tsne",
	Title: "t-SNE of the embeddings without and with GloFND",
	Look: "Whether classes lie tighter and further apart. A picture of one seed; the column beside it is measured. t-SNE shows " +
		"neighbours; how far apart groups lie says nothing.",
	Data:    images,
	Rows:    []plan.Row{unimodal("SogCLR").As(sogCLR), unimodal("GloFND").As(sogCLRGloFND)},
	Columns: []paper.Column{neighbours(), average()},
	Claims:  above(sogCLRGloFND, "introduction", []paper.Column{neighbours()}, sogCLR),
	Table:   paper.Comparison,
	Figure:  planeFigure,
}

// planeFigure has a panel a row: the first seed's test images of a few classes.
func planeFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure(r.FirstSeedOnly(), "Test images of the first classes, by t-SNE of their representations; axes mean nothing.")
	f.Known = nil // the groups are classes
	for _, row := range r.Rows {
		if len(row.Results) == 0 {
			continue
		}
		if layout := eval.Layout.Of(row.Results[0].Examples); layout != nil {
			f.Panels = append(f.Panels, scattered(row.Name, layout))
		}
	}
	return paper.Drawn(f)
}

// scattered are images in the plane as a panel.
func scattered(title string, of *eval.PlaneLayout) plots.Scatter {
	s := plots.Scatter{Title: title}
	for k, name := range of.Names {
		group := plots.PointGroup{Name: name}
		for i, class := range of.Class {
			if class == k {
				group.X, group.Y = append(group.X, float64(of.X[i])), append(group.Y, float64(of.Y[i]))
			}
		}
		s.Groups = append(s.Groups, group)
	}
	return s
}
