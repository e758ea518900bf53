// Package evidence says what a few seeds and a test split can show: a paired t-test, Holm's correction for many claims, the power of a
// test, intervals by the bootstrap, and how far two rankings agree. It takes plain numbers and knows nothing of runs.
package evidence
