// Package sanitiser builds C of the project with checks of addresses, leaks and undefined behaviour. It is for tests.
package sanitiser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

var flags = []string{"-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}

// Build compiles with gcc, by arguments that come after those of the sanitisers, and returns the program's path. The test is skipped where
// there is no gcc or it has no sanitisers.
func Build(t *testing.T, arguments ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the C code is for Linux on amd64 and arm64")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc to build with sanitisers")
	}
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.c")
	if err := os.WriteFile(empty, []byte("int main(void) { return 0; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	build := func(arguments ...string) ([]byte, error) {
		return exec.Command(gcc, append(append([]string{}, flags...), arguments...)...).CombinedOutput()
	}
	if text, err := build(empty, "-o", program); err != nil {
		t.Skipf("gcc has no sanitisers (on Debian libasan and libubsan come with it): %s", text)
	}
	if text, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Skipf("a program with sanitisers does not run here: %v: %s", err, text)
	}
	if text, err := build(append(arguments, "-o", program)...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}
