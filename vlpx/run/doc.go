// Package run makes a training run a value: its canonical JSON is its identity, its hash the name of its folder in the store.
// A run happens once; asked for again it is read back, stopped it resumes from its checkpoint to the same numbers. What a run
// is for is the business of package paper.
package run
