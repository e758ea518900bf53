package train

// What the test of compositions takes, which reads the registry of methods and so stands outside of the package.

var (
	Smallest = smallest
	Finish   = finish
	OnCLIP   = onCLIP
)

type NextOnes = nextOnes
