package scheduler

import (
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
)

// TestGolden recomputes the golden cases of states, of picking and of the policy.
func TestGolden(t *testing.T) {
	golden.Check(t, "schedule", map[string]func(*testing.T, golden.Case){
		"falcon_state_features":                   checkStates,
		"falcon_quantile1_equals_grit_like_chain": checkBatch,
		"falcon_batch_construction": func(t *testing.T, c golden.Case) {
			checkBatch(t, c)
			checkPolicyGradient(t, c)
		},
	})
}

// checkPolicyGradient holds the log densities of a chain's quantiles and the gradient of reward * log pi by the parameters of
// every sample: an anchor adds its own, the others have none.
func checkPolicyGradient(t *testing.T, c golden.Case) {
	a, b := c.Tensor("inputs", "beta_a").Float, c.Tensor("inputs", "beta_b").Float
	quantiles, reward := c.Tensor("inputs", "q").Float, c.Float("params", "reward")
	anchors := c.Ints("expected", "anchors")
	each, sum := c.Tensor("expected", "log_prob_each").Float, c.Float("expected", "log_pi")
	byA, byB := c.Tensor("expected", "grad_objective", "beta_a").Float, c.Tensor("expected", "grad_objective", "beta_b").Float
	must.Do(t, c.Err())
	gotA, gotB, logPi := make([]float64, len(a)), make([]float64, len(b)), 0.0
	for hop, anchor := range anchors {
		d := Beta{a[anchor], b[anchor]}
		near(t, d.LogDensity(quantiles[hop]), each[hop], c.Tolerance, "log density of hop %d", hop)
		logPi += d.LogDensity(quantiles[hop])
		da, db := d.Gradient(quantiles[hop])
		gotA[anchor] += reward * da
		gotB[anchor] += reward * db
	}
	near(t, logPi, sum, c.Tolerance, "log pi")
	for i := range a {
		near(t, gotA[i], byA[i], c.Tolerance, "gradient by A of sample %d", i)
		near(t, gotB[i], byB[i], c.Tolerance, "gradient by B of sample %d", i)
	}
}
