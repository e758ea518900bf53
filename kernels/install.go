package kernels

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	sources "vlpx.internal"

	"vlpx.internal/vlpx/disk"
)

// programs are what Install builds: GoNB, the two tools that it calls, and the proxy before it.
var programs = []struct {
	name        string // in the kernelspec's bin
	built       string // as go install names it
	module      string // the folder in the checkout of the module that it is built from
	packagePath string
}{
	{"gonb", "gonb", tools, "github.com/janpfeifer/gonb"},
	{"goimports-tool", "goimports", tools, "golang.org/x/tools/cmd/goimports"}, // bin/goimports is goimports.sh
	{"gopls-server", "gopls", tools, "golang.org/x/tools/gopls"},               // bin/gopls is gopls.sh
	{"proxy", "proxy", ".", sources.Module + "/kernels/cmd/proxy"},
}

// tools is the folder of the module that pins the versions of others' programs.
var tools = filepath.Join("kernels", "tools")

// Install brings the kernel under prefix up to date: it builds GoNB, goimports, gopls and the proxy, finds out how a cell is linked
// fastest, and writes the kernelspec with all of these to prefix/share/jupyter/kernels/vlpx; for the prefix "", to the
// user's folder of kernelspecs, where any Jupyter looks by itself. For another prefix $JUPYTER_PATH must name
// prefix/share/jupyter, as Execute and Serve have it. It also fetches the modules that a cell needs, which are more than
// building does (see fetchModules), and builds the packages that a cell imports, so that the first cell does not wait for
// them. What is up to date is not done again.
//
// It must be called inside a checkout of vlpx, whose place the kernel remembers for notebooks that lie elsewhere, or
// after an installation from one that is still there, and needs the go command. It tells progress (which may be nil) what
// it is doing, and that a kernel of another checkout's is now this one's. A kernel that is already there keeps working
// meanwhile; Jupyter never sees a part of the new one.
func Install(ctx context.Context, prefix string, progress io.Writer) error {
	return install(ctx, prefix, progress, func(here, installed string) (string, string) {
		return here, fmt.Sprintf("the kernel was of the checkout %s; from now on a notebook outside of any imports vlpx from %s\n"+
			"vlpx notebook -install there makes it that one's again\n", installed, here)
	})
}

// Update brings the kernel up to date as Install does, but leaves it another checkout's, if that is still there, and says so.
func Update(ctx context.Context, prefix string, progress io.Writer) error {
	return install(ctx, prefix, progress, func(here, installed string) (string, string) {
		if there, err := isCheckout(installed); !there || err != nil {
			return here, fmt.Sprintf("the kernel was of the checkout %s, which is gone; it is now of %s\n", installed, here)
		}
		return installed, fmt.Sprintf("the kernel is of another checkout, %s; what is started here imports vlpx from %s all the same\n"+
			"vlpx notebook -install makes the kernel this one's\n", installed, here)
	})
}

// install brings the kernel up to date. Where another checkout installed it, which decides whose it is, and what to say of that.
func install(ctx context.Context, prefix string, progress io.Writer, which func(here, installed string) (checkout, says string)) error {
	if progress == nil {
		progress = io.Discard
	}
	if err := installFrom(ctx, prefix, progress, which); err != nil {
		return fmt.Errorf("kernels: install: %w", err)
	}
	return nil
}

func installFrom(ctx context.Context, prefix string, progress io.Writer, which func(here, installed string) (checkout, says string)) error {
	data, err := dataDir(prefix)
	if err != nil {
		return err
	}
	dir := specDir(data)
	old, err := readSpec(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	here, err := checkout(old.Checkout)
	if err != nil {
		return err
	}
	now := installed{Checkout: here}
	command, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("%w; install Go from https://go.dev/dl", err)
	}
	now.Go = filepath.Dir(command)
	if old.Checkout != "" && old.Checkout != here {
		var says string
		now.Checkout, says = which(here, old.Checkout)
		fmt.Fprint(progress, says)
	}
	if now.Tools, err = toolsIdentity(ctx, here); err != nil {
		return err
	}
	if now.Tools != old.Tools || !hasPrograms(dir) {
		fmt.Fprintln(progress, "building gonb, goimports, gopls and the proxy (a minute or two the first time)")
		if err := buildPrograms(ctx, dir, here); err != nil {
			return fmt.Errorf("%w\nthe first time, this needs the network for the modules of kernels/tools", err)
		}
		old.Link = ""
	}
	if err := fetchModules(ctx, here); err != nil {
		return err
	}
	fmt.Fprintln(progress, "building the packages that a cell imports")
	if _, err := goCommand(ctx, here, nil, "build", sources.Module+"/vlpx"); err != nil {
		return err
	}
	now.Link = old.Link
	if old.Link == "" || old.Checkout != now.Checkout {
		fmt.Fprintln(progress, "trying how a cell is linked fastest")
		if now.Link, err = linkFlags(ctx, here); err != nil {
			return err
		}
		fmt.Fprintf(progress, "a cell is linked with %s\n", now.Link)
	}
	if err := writeSpec(dir, now); err != nil {
		return err
	}
	fmt.Fprintf(progress, "the kernel %q is at %s\n", DisplayName, dir)
	return nil
}

// toolsIdentity tells one build of the programs from another: a hash of their versions or sources, of Go's version and of the system.
func toolsIdentity(ctx context.Context, root string) (string, error) {
	names := []string{filepath.Join(tools, "go.mod"), filepath.Join(tools, "go.sum")}
	for _, folder := range []string{"cmd/proxy", "proxy"} {
		sources, err := fs.Glob(os.DirFS(root), "kernels/"+folder+"/*.go")
		if err != nil {
			return "", err
		}
		names = append(names, sources...)
	}
	identity := sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return "", err
		}
		identity.Write(text)
	}
	notes, err := kernelNotes()
	if err != nil {
		return "", err
	}
	for _, note := range notes {
		identity.Write([]byte(note))
	}
	version, err := goCommand(ctx, filepath.Join(root, tools), nil, "env", "GOVERSION", "GOOS", "GOARCH")
	if err != nil {
		return "", err
	}
	identity.Write(version)
	return fmt.Sprintf("%x", identity.Sum(nil)), nil
}

func hasPrograms(dir string) bool {
	for _, program := range programs {
		if _, err := os.Stat(filepath.Join(dir, "bin", program.name)); err != nil {
			return false
		}
	}
	return true
}

// buildPrograms builds beside dir and renames each program into dir/bin, where a running kernel may have it open.
func buildPrograms(ctx context.Context, dir, root string) error {
	bin := filepath.Join(dir, "bin")
	if err := disk.MkdirAll(bin); err != nil {
		return err
	}
	beside, err := disk.NewPendingDir(filepath.Dir(dir), ".vlpx-")
	if err != nil {
		return err
	}
	defer beside.Discard()
	staging := beside.Path
	modfile, err := patchedTools(ctx, filepath.Join(staging, "source"), root)
	if err != nil {
		return err
	}
	for module, flags := range map[string][]string{tools: {"-modfile=" + modfile}, ".": nil} {
		arguments := append([]string{"install", "-buildvcs=false"}, flags...) // git may refuse to read another user's checkout
		for _, program := range programs {
			if program.module == module {
				arguments = append(arguments, program.packagePath)
			}
		}
		if _, err := goCommand(ctx, filepath.Join(root, module), []string{"GOBIN=" + staging}, arguments...); err != nil {
			return err
		}
	}
	for _, program := range programs {
		if err := disk.Rename(filepath.Join(staging, program.built), filepath.Join(bin, program.name)); err != nil {
			return err
		}
	}
	return disk.SyncDir(bin)
}

// fetchModules makes the modules of the checkout's go.mod whole on this machine. A build fetches only those that it compiles;
// the go get that GoNB calls before each cell, and which asks no network, looks into those of other systems and of tests, too.
func fetchModules(ctx context.Context, root string) error {
	if _, err := goCommand(ctx, root, nil, "mod", "download"); err != nil {
		return fmt.Errorf("%w\nthe first time, this needs the network for the modules that cells need", err)
	}
	return nil
}

// linkFlags returns the linker's flags for a cell. Without symbol tables linking takes half as long, and Go's own linker is
// faster than the system's, but cannot link every system's C; so a program is linked and run to see.
func linkFlags(ctx context.Context, root string) (string, error) {
	const safe, fast = "-s", "-s -linkmode=internal"
	dir, err := os.MkdirTemp("", "vlpx-probe-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	probe := filepath.Join(dir, "probe")
	// Go fails where git refuses to read the checkout, as that of another user's.
	_, err = goCommand(ctx, root, nil, "build", "-buildvcs=false", "-ldflags="+fast, "-o", probe, sources.Module+"/kernels/cmd/probe")
	if err == nil {
		err = exec.CommandContext(ctx, probe).Run()
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return safe, nil
	}
	return fast, nil
}

// goCommand runs the go command in dir, outside of any workspace, and returns what it prints; an error carries what it
// complained about.
func goCommand(ctx context.Context, dir string, env []string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	command.WaitDelay = time.Second
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("go %s (in %s): %w\n%s", strings.Join(arguments, " "), dir, err, lastLines(complaint.String(), 20))
	}
	return printed, nil
}

// lastLines returns the last n lines of a text, without the white space around it.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
