package falcon

import (
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
)

// sizesTable counts the images and captions of the data on disk beside the paper's sets (FALCON, Table 6).
func sizesTable(r *paper.Report) (tables.Table, error) {
	p := r.Plan
	collection, err := p.Data.Open()
	if err != nil {
		return tables.Table{}, err
	}
	t := tables.Table{
		Title:   p.Artifact.ID + ": " + p.Artifact.Title,
		Heading: "data",
		Columns: []tables.Column{{Name: "images"}, {Name: "captions"}, {Name: "counted by"}},
	}
	add := func(name, images, captions, by string) {
		t.Rows = append(t.Rows, tables.Row{Name: name, Cells: []tables.Cell{{{Text: images}}, {{Text: captions}}, {{Text: by}}}})
	}
	add("COCO", "113K", "567K", paper.FromPaper)
	add("CC, filtered web captions", "567K", "567K", paper.FromPaper)
	add("CC, synthetic captions by BLIP", "567K", "567K", paper.FromPaper)
	for _, split := range collection.Splits() {
		set, err := collection.Split(split)
		if err != nil {
			return tables.Table{}, err
		}
		add(set.Name(), fmt.Sprint(set.Len()), fmt.Sprint(len(datasets.Pairs(set))), "vlpx")
	}
	return t, nil
}
