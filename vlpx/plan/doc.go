// Package plan turns the rows of an experiment at a scale into jobs: runs, and measures of runs, each with what it waits for. It knows
// where published weights, locked encoders, regions and warm starts come in. Package paper reports what came of a plan.
package plan
