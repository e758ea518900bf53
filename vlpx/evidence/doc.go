// Package evidence says what a few blocks and a test split can show: t-tests of randomised blocks (pooled, moderated, paired), equivalence
// by two one-sided tests, Holm's correction for many claims, the power of a test, intervals by the bootstrap, and how far two rankings
// agree. It takes plain numbers and knows nothing of runs.
package evidence
