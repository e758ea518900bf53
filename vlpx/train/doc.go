// Package train holds the step, the loop around it, the optimiser with its groups, the learning-rate schedule, checkpoints
// with bit-identical resume, and curves. What is trained is a framework under a method; where runs are kept is the business
// of package run.
package train
