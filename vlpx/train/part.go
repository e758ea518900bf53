package train

// Part is how far a step goes.
type Part int

const (
	Forward  Part = iota // the losses, and what else a step tells of the mini-batch
	Backward             // with the gradient of the losses and its norm
	Whole                // with the update of the weights, and what it improved where the method asks for it
)

// String names the part as tables do.
func (p Part) String() string {
	return [...]string{"forward", "forward and backward", "whole step"}[p]
}
