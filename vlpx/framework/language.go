package framework

import (
	"fmt"

	"vlpx.internal/vlpx/encoder"
)

// CheckLanguage reports why a causal language model of texts, of sizes as a GPT-2's, cannot be trained so: its Check.
func CheckLanguage(f Framework, t encoder.GPT, u Use) error {
	if err := CheckDecoder(f.Name(), t); err != nil {
		return err
	}
	method := u.Method.WithDefaults()
	switch {
	case u.Tokens < 2 || u.Tokens > t.Positions:
		return fmt.Errorf("framework: %s: captions of %d tokens; the model takes 2 to %d", f.Name(), u.Tokens, t.Positions)
	case !method.Plain("Batches", "Matching"):
		return &Lacking{Method: method.Name, Framework: f.Name(), Needs: "negatives",
			Advice: "train it with InfoNCE, of which it takes the mini-batches alone"}
	}
	return nil
}

// CheckDecoder reports what is wrong with the sizes of a causal language model, which are as a GPT-2's.
func CheckDecoder(name string, t encoder.GPT) error {
	switch {
	case t.Vocab < 1:
		return fmt.Errorf("framework: %s: the vocabulary is empty", name)
	case t.Width < 1 || t.MLP < 1 || t.Positions < 1 || t.Layers < 1 || t.Heads < 1 || t.Width%t.Heads != 0:
		return fmt.Errorf("framework: %s: width %d, %d inside its MLP, %d layers of %d heads, %d positions; take sizes above 0 and "+
			"heads that divide the width",
			name, t.Width, t.MLP, t.Layers, t.Heads, t.Positions)
	case !(t.Dropout >= 0 && t.Dropout < 1):
		return fmt.Errorf("framework: %s: a dropout of %g; it lies in [0, 1)", name, t.Dropout)
	}
	return nil
}
