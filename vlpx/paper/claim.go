package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/plan"
)

// Claim is what a paper concludes from an artifact: one row better than another in a column.
type Claim struct {
	Better, Than string
	// Over are the rows over which the two gain, each its own: the claim is then that one gain is above the other. Empty where the rows
	// themselves are compared.
	Over   [2]string
	In     Column
	Source string // where the paper says so; empty for a claim of our own
}

func (c Claim) String() string {
	column := c.In.Name
	if c.In.Group != "" {
		column = c.In.Group + " " + c.In.Name
	}
	comparison := "above"
	if c.In.Lower {
		comparison = "below"
	}
	better, than := c.Better, c.Than
	if c.Over != ([2]string{}) {
		better, than = fmt.Sprintf("%s over %s", better, c.Over[0]), fmt.Sprintf("%s over %s", than, c.Over[1])
	}
	return fmt.Sprintf("%s %s %s in %s", better, comparison, than, column)
}

// Rows are the names of the rows that a claim takes.
func (c Claim) Rows() []string {
	names := []string{c.Better, c.Than}
	if c.Over != [2]string{} {
		names = append(names, c.Over[:]...)
	}
	return names
}

// weights are those of named rows in what a claim compares: of the two themselves, or of what they gain.
func (c Claim) weights(names []string) []float64 {
	weights := make([]float64, len(names))
	for k, name := range c.Rows() {
		weights[slices.Index(names, name)] += []float64{1, -1, -1, 1}[k]
	}
	return weights
}

// pooled tells whether the errors of rows in a column have one variance, as those of what a task measures have. What is counted of a
// sampler, chosen or timed has not.
func (c Column) pooled() bool {
	if c.Of != nil || c.Reported {
		return false
	}
	metric := strings.TrimSuffix(strings.TrimPrefix(c.Metric, plan.SecondPrefix), plan.OnValidation)
	_, ofTask := eval.InfoOf(eval.Metric(strings.TrimPrefix(metric, eval.CosinePrefix)))
	return ofTask
}
