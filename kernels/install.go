package kernels

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// Name is the kernel's name in a notebook's metadata; DisplayName is what Jupyter's menus show.
const (
	Name        = "vlpx"
	DisplayName = "Go (vlpx)"
)

// modulePath is the module that cells import from.
const modulePath = "vlpx.internal"

//go:embed launch.sh
var launcher []byte

// Install builds GoNB and the two tools it calls (goimports, gopls) into prefix/bin, writes the kernelspec to
// prefix/share/jupyter/kernels/vlpx, and builds the packages that a cell imports, so that the first cell does not wait
// for them. The prefix ~/.local is where Jupyter looks by itself; for another one $JUPYTER_PATH must name
// prefix/share/jupyter, as Execute does.
//
// It must be called inside a checkout of vlpx, whose place the kernel remembers for notebooks that lie elsewhere, and
// needs the go command. It tells progress (which may be nil) what it is doing. A kernel that is already there keeps
// working until its kernelspec is replaced; Jupyter never sees a part of the new one.
func Install(ctx context.Context, prefix string, progress io.Writer) error {
	if progress == nil {
		progress = io.Discard
	}
	root, err := checkout()
	if err != nil {
		return fmt.Errorf("kernels: install: %w", err)
	}
	if prefix, err = filepath.Abs(prefix); err != nil {
		return fmt.Errorf("kernels: install: %w", err)
	}
	fmt.Fprintf(progress, "building gonb, goimports and gopls into %s (about a minute the first time)\n", filepath.Join(prefix, "bin"))
	tools := []string{"install", "github.com/janpfeifer/gonb", "golang.org/x/tools/cmd/goimports", "golang.org/x/tools/gopls"}
	if err := goCommand(ctx, filepath.Join(root, "kernels", "tools"), []string{"GOBIN=" + filepath.Join(prefix, "bin")}, tools...); err != nil {
		return fmt.Errorf("kernels: install: %w", err)
	}
	fmt.Fprintln(progress, "building the packages that a cell imports")
	if err := goCommand(ctx, root, nil, "build", modulePath+"/vlpx"); err != nil {
		return fmt.Errorf("kernels: install: %w", err)
	}
	dir := filepath.Join(prefix, "share", "jupyter", "kernels", Name)
	if err := writeSpec(dir, root); err != nil {
		return fmt.Errorf("kernels: install: %w", err)
	}
	fmt.Fprintf(progress, "the kernel %q is at %s\n", DisplayName, dir)
	return nil
}

// spec is Jupyter's kernel.json.
type spec struct {
	Argv          []string `json:"argv"`
	DisplayName   string   `json:"display_name"`
	Language      string   `json:"language"`
	InterruptMode string   `json:"interrupt_mode"`
}

// writeSpec writes the kernelspec: kernel.json comes last, because Jupyter takes no notice of a folder without it.
func writeSpec(dir, root string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	description, err := json.MarshalIndent(spec{
		Argv:        []string{"/bin/sh", "{resource_dir}/launch.sh", root, "{connection_file}"},
		DisplayName: DisplayName,
		Language:    "go",
		// GoNB hands an interrupt on to the cell's process; a signal would end GoNB itself.
		InterruptMode: "message",
	}, "", "  ")
	if err != nil {
		return err
	}
	small, err := logo(32)
	if err != nil {
		return err
	}
	large, err := logo(64)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{
		{"launch.sh", launcher},
		{"logo-32x32.png", small},
		{"logo-64x64.png", large},
		{"kernel.json", append(description, '\n')},
	} {
		if err := renameio.WriteFile(filepath.Join(dir, file.name), file.content, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(dir, file.name), err)
		}
	}
	return nil
}

// checkout returns the folder of vlpx's go.mod, at or above the working directory.
func checkout() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if slices.Contains(strings.Split(string(text), "\n"), "module "+modulePath) {
			if strings.Contains(dir, ",") {
				return "", fmt.Errorf("the checkout %s has a comma in its path, which GoNB takes for the end of it; move it", dir)
			}
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod of %s at or above %s; call it inside a checkout of vlpx", modulePath, start)
		}
	}
}

// goCommand runs the go command in dir, outside of any workspace; an error carries what it complained about.
func goCommand(ctx context.Context, dir string, env []string, arguments ...string) error {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	command.WaitDelay = time.Second
	var complaint bytes.Buffer
	command.Stderr = &complaint
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("go %s (in %s): %w\n%s", strings.Join(arguments, " "), dir, err, lastLines(complaint.String(), 20))
	}
	return nil
}

// lastLines returns the last n lines of a text, without the white space around it.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
