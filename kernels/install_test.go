package kernels

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSpecIsWhatJupyterReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels", Name)
	for range 2 { // the second replaces the first
		if err := writeSpec(dir, "/src/vlpx"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"display_name": "Go (vlpx)", "language": "go", "interrupt_mode": "message"} {
		if got[key] != want {
			t.Errorf("kernel.json: %s is %v, want %s", key, got[key], want)
		}
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{"kernel.json", "launch.sh", "logo-32x32.png", "logo-64x64.png"}; !slices.Equal(names, want) {
		t.Errorf("the kernelspec holds %q, want %q", names, want)
	}
}

func TestLogoIsASimilarityMatrix(t *testing.T) {
	encoded, err := logo(64)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != 64 || got.Y != 64 {
		t.Fatalf("size %v, want 64 x 64", got)
	}
	at := func(row, column int) color.Color { return img.At(16*column+8, 16*row+8) }
	for row := range 4 {
		for column := range 4 {
			if got, want := at(row, column) == at(0, 0), row == column; got != want {
				t.Errorf("row %d, column %d: looks like a positive is %v, want %v", row, column, got, want)
			}
		}
	}
	if at(1, 2) == at(2, 1) {
		t.Error("the false negative looks like any negative")
	}
}

// TestLauncher runs launch.sh with a stand-in for GoNB that tells how it was called.
func TestLauncher(t *testing.T) {
	prefix := t.TempDir()
	spec, bin := filepath.Join(prefix, "share", "jupyter", "kernels", Name), filepath.Join(prefix, "bin")
	if err := writeSpec(spec, "/unused"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	standIn := "#!/bin/sh\nprintf '%s\\n' \"$@\" \"$GOPROXY\" \"${PATH%%:*}\"\n"
	if err := os.WriteFile(filepath.Join(bin, "gonb"), []byte(standIn), 0o755); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "a check out")
	deep := filepath.Join(other, "notebooks", "mine")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module vlpx.internal\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, dir, root string }{
		{"the checkout above the notebook", deep, other},
		{"the checkout itself", other, other},
		{"else the one that installed the kernel", t.TempDir(), "/the/first one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			command := exec.Command("/bin/sh", filepath.Join(spec, "launch.sh"), "/the/first one", "/run/connection.json")
			command.Dir = test.dir
			command.Env = append(os.Environ(), "PWD="+test.dir)
			out, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSpace(string(out)), "\n")
			want := []string{"--kernel", "/run/connection.json", "-go_work=" + test.root, "-raw_error=true", "off", bin}
			if !slices.Equal(got, want) {
				t.Errorf("called with %q, want %q", got, want)
			}
		})
	}
}

func TestInstallOutsideOfACheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	err := Install(t.Context(), t.TempDir(), nil)
	if err == nil || !strings.Contains(err.Error(), "inside a checkout") {
		t.Errorf("error %v, want one that asks for a checkout", err)
	}
}

func TestCheckoutWithAComma(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a,b")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module vlpx.internal\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if root, err := checkout(); err == nil || !strings.Contains(err.Error(), "comma") {
		t.Errorf("checkout %q, error %v, want an error about the comma", root, err)
	}
}
