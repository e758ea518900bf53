package framework

import (
	"fmt"

	"vlpx.internal/vlpx/encoder"
)

// CheckLanguage reports why a causal language model of texts, of sizes as a GPT-2's, cannot be trained so: its Check.
func CheckLanguage(f Framework, t encoder.GPT, u Use) error {
	if err := t.Validate(); err != nil {
		return fmt.Errorf("framework: %s: %w", f.Name(), err)
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
