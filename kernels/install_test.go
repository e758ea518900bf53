package kernels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestSpecIsWhatJupyterReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels", Name)
	for range 2 { // the second replaces the first
		must.Do(t, writeSpec(dir, installed{Checkout: "/src/vlpx", Link: "-s", Go: "/go/bin"}))
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "kernel.json")))(t)
	var got map[string]any
	must.Do(t, json.Unmarshal(text, &got))
	for key, want := range map[string]string{"display_name": "Go (vlpx)", "language": "go", "interrupt_mode": "message"} {
		if got[key] != want {
			t.Errorf("kernel.json: %s is %v, want %s", key, got[key], want)
		}
	}
	var names []string
	entries := must.Get(os.ReadDir(dir))(t)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{"bin", "kernel.json", "launch.sh", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}; !slices.Equal(names, want) {
		t.Errorf("the kernelspec holds %q, want %q", names, want)
	}
}

func TestLogoIsASimilarityMatrix(t *testing.T) {
	encoded := must.Get(logoPNG(64))(t)
	img := must.Get(png.Decode(bytes.NewReader(encoded)))(t)
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

// TestLauncher runs launch.sh with a stand-in for the proxy that tells how it was called.
func TestLauncher(t *testing.T) {
	spec := filepath.Join(t.TempDir(), "a prefix", "share", "jupyter", "kernels", Name)
	must.Do(t, writeSpec(spec, installed{}))
	bin := filepath.Join(spec, "bin")
	standIn := "#!/bin/sh\nprintf '%s\\n' \"$1\" \"$2\" \"$3\" \"$4\" \"$GOPROXY\" \"${GOWORK-unset}\" \"$GOFLAGS\" \"${PATH%%:*}\" " +
		"\"${PATH##*:}\"\n"
	must.Do(t, os.WriteFile(filepath.Join(bin, "proxy"), []byte(standIn), 0o755))
	root := t.TempDir()
	module := func(name string) string {
		dir := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Join(dir, "notebooks", "mine"), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module vlpx.internal\n\ngo 1.26\n"), 0o644))
		return dir
	}
	first, other, third, comma := module("the first"), module("eine Prüfung"), module("a third"), module("a,b")
	for _, test := range []struct {
		name, dir, started, installed string
		root, refusal                 string
	}{
		{"the checkout above the notebook", filepath.Join(other, "notebooks", "mine"), third, first, other, ""},
		{"the checkout itself", other, "", first, other, ""},
		{"else that where Jupyter was started", t.TempDir(), third, first, third, ""},
		{"if it is one", t.TempDir(), root, first, first, ""},
		{"else the one that installed the kernel", t.TempDir(), "", first, first, ""},
		{"which must be there", t.TempDir(), "", "/nowhere", "", "vlpx notebook -install"},
		{"a comma ends the path for GoNB", comma, "", first, "", "comma"},
	} {
		t.Run(test.name, func(t *testing.T) {
			command := exec.Command("/bin/sh", filepath.Join(spec, "launch.sh"), test.installed, "/run/connection.json", "-s -w", "/go/bin")
			command.Dir = test.dir
			command.Env = append(os.Environ(), "PWD="+test.dir, "GOWORK=off", "GOFLAGS=-mod=mod -tags=noxla", "VLPX_CHECKOUT="+test.started)
			var complaint bytes.Buffer
			command.Stderr = &complaint
			out, err := command.Output()
			if test.refusal != "" {
				if err == nil || !strings.Contains(complaint.String(), test.refusal) {
					t.Fatalf("error %v, %q; want one that says %q", err, complaint.String(), test.refusal)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v: %s", err, complaint.String())
			}
			told := "" // of a checkout that is not the kernel's
			if test.root != test.installed {
				told = "vlpx kernel: cells import vlpx from " + test.root + "; the kernel was installed from " + test.installed + "\n"
			}
			if complaint.String() != told {
				t.Errorf("it tells %q, want %q", complaint.String(), told)
			}
			got := strings.Split(strings.TrimSpace(string(out)), "\n")
			want := []string{"/run/connection.json", filepath.Join(bin, "gonb"), "-go_work=" + test.root, "-warm=vlpx.internal/vlpx", "off",
				"unset", " -tags=noxla '-ldflags=-s -w'", bin, "/go/bin"}
			if !slices.Equal(got, want) {
				t.Errorf("called with %q, want %q", got, want)
			}
		})
	}
}

// Where nobody completes a name, gopls need not be ready for it.
func TestLauncherUnattended(t *testing.T) {
	checkout, spec := t.TempDir(), filepath.Join(t.TempDir(), Name)
	must.Do(t, writeSpec(spec, installed{}))
	write(t, checkout, map[string]string{"go.mod": "module vlpx.internal\n"})
	must.Do(t, os.WriteFile(filepath.Join(spec, "bin", "proxy"), []byte("#!/bin/sh\necho \"$4\"\n"), 0o755))
	command := exec.Command("/bin/sh", filepath.Join(spec, "launch.sh"), checkout, "connection.json", "-s", "/go/bin")
	command.Dir, command.Env = checkout, append(os.Environ(), "VLPX_UNATTENDED=1")
	if told := string(must.Get(command.Output())(t)); told != "-warm=\n" {
		t.Errorf("called with %q, want nothing to read", told)
	}
}

// A Jupyter that is killed cannot end its kernels; they end by themselves.
func TestLauncherOutlivesNoJupyter(t *testing.T) {
	checkout, spec := t.TempDir(), filepath.Join(t.TempDir(), Name)
	must.Do(t, writeSpec(spec, installed{}))
	for path, content := range map[string]string{
		filepath.Join(checkout, "go.mod"):   "module vlpx.internal\n",
		filepath.Join(spec, "bin", "proxy"): "#!/bin/sh\necho started\nexec sleep 1000\n",
	} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o755))
	}
	jupyter := exec.Command("sleep", "1000")
	must.Do(t, jupyter.Start())
	kernel := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(spec, "launch.sh"), checkout, "connection.json", "-s", "/go/bin")
	kernel.Dir = checkout
	kernel.Env = append(os.Environ(), fmt.Sprintf("JPY_PARENT_PID=%d", jupyter.Process.Pid))
	kernel.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := must.Get(kernel.StdoutPipe())(t)
	must.Do(t, kernel.Start())
	must.Get(io.ReadFull(out, make([]byte, len("started"))))(t)
	must.Do(t, jupyter.Process.Kill())
	jupyter.Wait()
	if err := kernel.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("the kernel ended with %v, want it told to end", err)
	}
}

// gopls ends by itself, and does not begin where nobody completes a name.
func TestGoplsEndsByItself(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, writeSpec(dir, installed{}))
	must.Do(t, os.WriteFile(filepath.Join(dir, "bin", "gopls-server"), []byte("#!/bin/sh\necho \"$@\"\n"), 0o755))
	for unattended, want := range map[string]string{"": "-listen.timeout=1m -listen unix;/a socket\n", "1": ""} {
		t.Setenv("VLPX_UNATTENDED", unattended)
		out, err := exec.Command(filepath.Join(dir, "bin", "gopls"), "-listen", "unix;/a socket").Output()
		if got := string(out); got != want || err != nil {
			t.Errorf("called with %q (%v), want %q", got, err, want)
		}
	}
}

// Programs are built anew when a version changes, and only then.
func TestToolsIdentity(t *testing.T) {
	root := t.TempDir()
	tools := filepath.Join(root, "kernels", "tools")
	must.Do(t, os.MkdirAll(tools, 0o755))
	identity := func(sums string) string {
		for name, content := range map[string]string{"go.mod": "module tools\n", "go.sum": sums} {
			must.Do(t, os.WriteFile(filepath.Join(tools, name), []byte(content), 0o644))
		}
		got := must.Get(toolsIdentity(t.Context(), root))(t)
		return got
	}
	if first, again, changed := identity("a"), identity("a"), identity("b"); first != again || first == changed {
		t.Errorf("got %s, the same again %s, and with another version %s", first, again, changed)
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
	must.Do(t, os.Mkdir(dir, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module vlpx.internal\n"), 0o644))
	t.Chdir(dir)
	if root, err := checkout(""); err == nil || !strings.Contains(err.Error(), "comma") {
		t.Errorf("checkout %q, error %v, want an error about the comma", root, err)
	}
}

// A package of vlpx's is imported for a part of a name, too, which goimports leaves alone. What is imported, or is not vlpx's, stays.
func TestGoimportsKnowsThePackages(t *testing.T) {
	dir, checkout := t.TempDir(), t.TempDir()
	must.Do(t, writeSpec(dir, installed{}))
	write(t, dir, map[string]string{"bin/goimports-tool": "#!/bin/sh\necho \"$@\"\n"})
	write(t, checkout, map[string]string{
		"vlpx/doc.go":               "package vlpx\n",
		"vlpx/negative/negative.go": "// Package negative\npackage negative\n",
		"vlpx/other/main.go":        "package main\n",
		"datasets/text/text.go":     "package text\n",
	})
	for _, test := range []struct{ cell, want, called string }{
		{"fmt.Printl", "", "-w"},
		{"vlpx.Re", `;import "vlpx.internal/vlpx"`, "-w -w"},
		{"negative.GR(text.X, other.Y)", `;import "vlpx.internal/vlpx/negative";import "vlpx.internal/datasets/text"`, "-w -w"},
		{"import \"vlpx.internal/vlpx/negative\"\n\nnegative.GR", "", "-w"},
		{"import (\n\t\"vlpx.internal/vlpx\"\n\t negative \"x.org/y/negative\"\n)\n\nnegative.GR()\nvlpx.R", "", "-w"},
	} {
		file := filepath.Join(t.TempDir(), "main.go")
		text := func(added string) string { return "package main" + added + "\n\n" + test.cell + "\n\n" }
		write(t, filepath.Dir(file), map[string]string{"main.go": text("")})
		command := exec.Command(filepath.Join(dir, "bin", "goimports"), "-w", file)
		command.Env = append(os.Environ(), "VLPX_CHECKOUT="+checkout)
		told, err := command.CombinedOutput()
		got, _ := os.ReadFile(file)
		if called := strings.Join(strings.Fields(strings.ReplaceAll(string(told), file, "")), " "); err != nil || called != test.called ||
			string(got) != text(test.want) {
			t.Errorf("%q: called with %q (%v), the file is %q, want %q", test.cell, called, err, got, text(test.want))
		}
	}
	write(t, dir, map[string]string{"bin/goimports-tool": "#!/bin/sh\necho no >&2\nexit 2\n"})
	if told, err := exec.Command(filepath.Join(dir, "bin", "goimports"), "-w", "x").CombinedOutput(); err == nil || string(told) != "no\n" {
		t.Errorf("a tool that fails: %q, %v", told, err)
	}
}
