package docs

import (
	"os"
	"os/exec"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/vlpx/engine"
)

const (
	onEngine    = "VLPX_EXAMPLES_ON"
	fromLibrary = "VLPX_EXAMPLES_FROM"
)

// The examples print on ONNX Runtime what they print in pure Go.
func TestExamplesOnONNX(t *testing.T) {
	enginetest.Open(t, "onnx:cpu")
	choice, _ := engine.Choose(engine.Cache())
	c := exec.Command(os.Args[0], "-test.run=^Example", "-test.v")
	c.Env = append(os.Environ(), onEngine+"=onnx:cpu", fromLibrary+"="+choice.Library)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
