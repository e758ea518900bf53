// Package evidence says what a few seeds and a test split can show: a paired t-test, Holm's correction for many claims, the power of a
// test, and intervals by the bootstrap. It takes plain numbers and knows nothing of runs.
package evidence
