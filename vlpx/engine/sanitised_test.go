package engine_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"vlpx.internal/internal/test/sanitiser"
)

// Whatever call into the library fails while sessions are set and made, nothing is left of it, and no memory is misused.
func TestSessionsSanitised(t *testing.T) {
	program := sanitiser.Build(t, "-I", "testdata", "testdata/sessions.c", "-ldl")
	library, none := filepath.Join(t.TempDir(), "library.so"), filepath.Join(t.TempDir(), "none.so")
	for path, source := range map[string]string{library: "testdata/library.c", none: "testdata/none.c"} {
		if text, err := exec.Command("gcc", "-shared", "-fPIC", "-Wl,-z,relro,-z,now", source, "-o", path).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	text, err := exec.Command(program, library, none).CombinedOutput()
	if err != nil || len(text) == 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Logf("%s", text)
}
