package glofnd

import (
	"slices"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/paper"
)

// table2 is transfer (GloFND, Table 2). The paper's data sets are Food-101, Stanford Cars and the like; ours are those that need no
// download.
var table2 = paper.Artifact{
	ID:    "glofnd/table2",
	Title: "Transfer by logistic regression to other data sets",
	Look: "Whether representations that were learned without false negatives say more of other data. The paper's data sets need " +
		"downloads; here they are two worlds of scenes. Folders with classes can be targets, too.",
	Note: "The paper's number is the mean over CIFAR-10, CIFAR-100, Food-101, Caltech-101, Cars, DTD, Pets and Flowers, ours that over " +
		"the data sets shown, which need no download; folders of your own are targets of eval.Transfer. The published code chooses the " +
		"regularisation on the test split, ours on a part of the training images.",
	Data:    images,
	Rows:    numbered(unimodalRows(), []float64{62.67}, []float64{63.40}, []float64{64.31}),
	Columns: transfer(),
	Claims: slices.Concat(
		above(sogCLRGloFND, "section 4.1", transfer()[:1], sogCLR, sogCLRFNC),
		above(sogCLRFNC, "Table 2", transfer()[:1], sogCLR)),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// transfer are the mean over all targets, and each of them.
func transfer() []paper.Column {
	columns := []paper.Column{paper.ColumnOf(eval.TransferAverage)}
	for _, info := range (eval.Transfer{}).Metrics() {
		if info.Metric != eval.TransferAverage {
			columns = append(columns, paper.ColumnOf(info.Metric))
		}
	}
	return columns
}

// table5 and table6 are one-sided paired t-tests against SogCLR (GloFND, Tables 5 and 6).
var (
	table5 = paper.Artifact{
		ID:    "glofnd/table5",
		Title: "p-values of paired t-tests over seeds, linear evaluation",
		Look: "How many of the comparisons with SogCLR are below .05, and with how many seeds: three give a t-test two degrees " +
			"of freedom.",
		Data:    images,
		Note:    "The paper's .001 is printed as < 0.001.",
		Rows:    unimodalRows(),
		Columns: linear()[:4],
		Table: func(r *paper.Report) (tables.Table, error) {
			return testsTable(r, map[string][]float64{sogCLRFNC: {.011, .035, .014, .024}, sogCLRGloFND: {.002, .011, .001, .018}}), nil
		},
	}
	table6 = paper.Artifact{
		ID:    "glofnd/table6",
		Title: "p-values of paired t-tests over seeds, transfer",
		Look: "How many of the comparisons with SogCLR are below .05, and with how many seeds: three give a t-test two degrees " +
			"of freedom.",
		Note:    "The paper's eight data sets are others; six of its eight p of GloFND and two of FNC are below .05.",
		Data:    images,
		Rows:    unimodalRows(),
		Columns: transfer(),
		Table: func(r *paper.Report) (tables.Table, error) {
			return testsTable(r, nil), nil
		},
	}
)

// testsTable has the p of a paired t-test of each row against the first, one-sided: that the row is above it.
//
//   - paper: what the paper reports, by rows.
func testsTable(r *paper.Report, numbers map[string][]float64) tables.Table {
	t := r.NewTable("Paired t-test over the seeds that both have, one-sided as the paper's: p of a difference at least so large if the " +
		"row were not above " +
		sogCLR + ". Not corrected for the number of comparisons; the claims of tables 1 and 2 are.")
	t.Heading, t.Sources = "method", []string{paper.FromPaper, paper.FromYou, paper.FromReference}
	t.Note += r.ShippedNote()
	columns := r.Shown()
	for _, c := range columns {
		t.Columns = append(t.Columns, tables.Column{Group: c.Group, Name: c.Name, Format: "%.3f", Best: tables.Unranked})
	}
	for _, row := range r.Rows[1:] {
		line := tables.Row{Name: row.Name}
		if row.Status != string(paper.Ready) && len(row.Seeds)+len(row.Shipped) == 0 {
			line.Status = row.Status
		}
		for k, c := range columns {
			cell, from := tables.Cell{{}, {}, {}}, 1
			if len(row.Seeds) == 0 {
				from = 2
			}
			if k < len(numbers[row.Name]) {
				cell[0] = tables.Number(numbers[row.Name][k])
			}
			if d := r.Differences(row.Name, r.Rows[0].Name, c); len(d) > 1 {
				cell[from] = tables.Number(oneSided(d))
			}
			line.Cells = append(line.Cells, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// oneSided is the p of two or more differences at least so large if their mean were not above 0; NaN where all are equal.
func oneSided(differences []float64) float64 {
	t := evidence.PairedT(differences, make([]float64, len(differences)))
	if t.Difference > 0 {
		return t.P / 2
	}
	return 1 - t.P/2
}
