package tags

import (
	"fmt"
	"slices"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/scale"
)

// table5 has the hyper-parameters of both stages (TAGS-DC, Table 5).
var table5 = paper.Artifact{
	ID:    "tags/table5",
	Title: "Hyper-parameters",
	Look:  "Where a preset departs from the paper's settings.",
	Note: "The paper calls the stages NSG and NSGDC; but for the learning rate and the last two weights they are alike. The preset paper " +
		"is the base setting of Flickr30K. The smaller ones see so few pairs that what is written weighs more there.",
	Table: hyperTable,
}

// printed is a line of Table 5: the paper's values on Flickr30K, base and large, and on MS-COCO, base and large, and ours on UNITER.
type printed struct {
	name  string
	paper [4]string
	of    func(scale.Scale) any
}

func hyperTable(r *paper.Report) (tables.Table, error) {
	same := func(value string) [4]string { return [4]string{value, value, value, value} }
	lines := []printed{
		{"learning rate, first stage", [4]string{"5e-5", "4e-5", "5e-5", "4e-5"},
			func(s scale.Scale) any { return fmt.Sprintf("%.3g", s.Schedule.Rate) }},
		{"learning rate, second stage", same("1e-5"), func(s scale.Scale) any { return s.Writing.FurtherRate }},
		{"margin alpha", same("0.2"), func(s scale.Scale) any { return s.Model(1).(uniter.Model).Margin }},
		{"temperature of refilling", same("1.5"), func(s scale.Scale) any { return s.Writing.Temperature }},
		{"sentences kept", [4]string{"31", "23", "31", "23"}, func(s scale.Scale) any { return s.Writing.Keep }},
		{"lambda of ITM", same("1"), func(scale.Scale) any { return 1 }},
		{"lambda of MLM", [4]string{"0.1", "0.1", "0.05", "0.05"}, func(s scale.Scale) any { return s.Writing.MLM }},
		{"lambda of ISTM", [4]string{"1e-3", "5e-4", "1e-4", "5e-4"}, func(s scale.Scale) any { return s.Writing.ISTM }},
		{"lambda of WoD, second stage", [4]string{"1e-3", "5e-4", "5e-4", "5e-4"}, func(s scale.Scale) any { return s.Writing.WoD }},
		{"lambda of WoC, second stage", [4]string{"1e-3", "5e-4", "5e-4", "5e-4"}, func(s scale.Scale) any { return s.Writing.WoC }},
	}
	var settings []paper.Setting
	for _, l := range lines {
		settings = append(settings, paper.Setting{Name: l.name, Framework: "UNITER", Of: l.of})
	}
	t := paper.PresetsTable(r, settings)
	t.Columns = slices.Concat([]tables.Column{
		{Group: "Flickr30K", Name: "base"}, {Group: "Flickr30K", Name: "large"}, {Group: "MS-COCO", Name: "base"},
		{Group: "MS-COCO", Name: "large"},
	}, t.Columns[1:])
	for k, l := range lines {
		var cells []tables.Cell
		for _, value := range l.paper {
			cells = append(cells, tables.Cell{{Text: value}})
		}
		t.Rows[k].Cells = append(cells, t.Rows[k].Cells[1:]...)
	}
	return t, nil
}
