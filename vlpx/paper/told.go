package paper

import "slices"

// toldGroup heads the columns of what parts tell by names of their own.
const toldGroup = "Told by parts"

// withTold is the plan with a column for each number that the parts of some row told in an epoch of its runs by a name of their own, in the order in
// which they did. It is known only once the runs are there. An artifact that shows no columns stays as it is.
func (p *Plan) withTold(rows []RowReport) *Plan {
	if len(p.Artifact.Columns) == 0 {
		return p
	}
	with := *p
	with.Artifact.Columns = slices.Clone(p.Artifact.Columns)
	for _, row := range rows {
		for _, result := range row.Results {
			for _, record := range result.Epochs {
				for _, n := range record.Numbers {
					if !slices.ContainsFunc(with.Artifact.Columns, func(c Column) bool { return c.Metric == n.Name }) {
						with.Artifact.Columns = append(with.Artifact.Columns, Column{Group: toldGroup, Name: n.Name, Metric: n.Name, Unit: n.Unit, Told: true})
					}
				}
			}
		}
	}
	return &with
}
