package lab_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"vlpx.internal/internal/test/enginetest"
)

// An operation that the engine lacks is named, with the line that calls it and what to do.
func TestLackingOperationIsNamed(t *testing.T) {
	enginetest.Open(t, "onnx:cpu")
	c := exec.Command("go", "run", "./testdata/lacking")
	c.Env = append(os.Environ(), "VLPX_HOME="+t.TempDir(), "GOMLX_BACKEND=onnx:cpu")
	out, err := c.CombinedOutput()
	if err == nil {
		t.Fatal("the program ran")
	}
	const want = "TopK: op not implemented on this engine; docs/GOMLX.md says what to write instead, $GOMLX_BACKEND=go:ops_sequential has all; " +
		"at sorted.ITC\n"
	if !strings.Contains(string(out), want) || !strings.Contains(string(out), "lacking/main.go:") {
		t.Errorf("it says\n%s\nwant %s", out, want)
	}
}
