package kernels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Execute runs every cell of the notebook file with the kernel installed under prefix, without a browser, and writes the
// executed copy to out. Cells see the notebook's folder as working directory.
//
// A cell that does not compile, panics or exits with a status other than zero does not stop the cells after it; the error
// then names each such cell, with what it wrote to standard error or the compiler's complaint, and out is written all the
// same. In any other case of error, such as a missing jupyter-nbconvert or a cancelled ctx, out is left as it was.
func Execute(ctx context.Context, prefix, notebook, out string) error {
	if err := execute(ctx, prefix, notebook, out); err != nil {
		return fmt.Errorf("kernels: execute %s: %w", notebook, err)
	}
	return nil
}

func execute(ctx context.Context, prefix, notebook, out string) error {
	nbconvert, err := Nbconvert()
	if err != nil {
		return err
	}
	prefix, err = filepath.Abs(prefix)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(prefix, "share", "jupyter", "kernels", Name, "kernel.json")); err != nil {
		return fmt.Errorf("the kernel is not installed under %s: %w", prefix, err)
	}
	staging, err := os.MkdirTemp(filepath.Dir(out), ".execute-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)

	command := exec.CommandContext(ctx, nbconvert, "--to", "notebook", "--execute", "--allow-errors",
		"--ExecutePreprocessor.kernel_name="+Name, "--ExecutePreprocessor.startup_timeout=300",
		"--output-dir", staging, "--output", "executed.ipynb", notebook)
	search := filepath.Join(prefix, "share", "jupyter")
	if old := os.Getenv("JUPYTER_PATH"); old != "" {
		search += string(filepath.ListSeparator) + old
	}
	command.Env = append(os.Environ(), "JUPYTER_PATH="+search)
	// Interrupted, nbconvert stops its kernel; killed, it would leave it behind.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("jupyter-nbconvert: %w\n%s", err, lastLines(log.String(), 20))
	}
	executed := filepath.Join(staging, "executed.ipynb")
	text, err := os.ReadFile(executed)
	if err != nil {
		return err
	}
	if err := os.Rename(executed, out); err != nil {
		return err
	}
	return failures(text)
}

// Nbconvert returns the path of jupyter-nbconvert, Jupyter's program that executes notebooks. The system's comes first:
// that of a Python installed beside it may lack modules. Where there is none, the error says how to get it.
func Nbconvert() (string, error) {
	for _, name := range []string{"/usr/bin/jupyter-nbconvert", "jupyter-nbconvert"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("jupyter-nbconvert is not installed; get it with apt-get install --no-install-recommends jupyter-nbconvert")
}

// failures returns an error that names each cell of an executed notebook that failed, nil when none did.
func failures(notebook []byte) error {
	var file struct {
		Cells []struct {
			Outputs []struct {
				Type  string `json:"output_type"`
				Name  string `json:"name"`
				Text  lines  `json:"text"`
				Value string `json:"evalue"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &file); err != nil {
		return fmt.Errorf("the executed copy: %w", err)
	}
	var failed []error
	for k, cell := range file.Cells {
		var complaint strings.Builder
		for _, output := range cell.Outputs {
			switch {
			case output.Type == "stream" && output.Name == "stderr":
				complaint.WriteString(string(output.Text))
			case output.Type == "error":
				message := strings.TrimSpace(output.Value)
				if written := strings.TrimSpace(colours.ReplaceAllString(complaint.String(), "")); written != "" {
					message += ": " + lastLines(written, 20)
				}
				failed = append(failed, fmt.Errorf("cell %d: %s", k+1, message))
			}
		}
	}
	return errors.Join(failed...)
}

// colours matches the escape sequences with which a terminal's text is coloured.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// lines is a text that the notebook format writes as one string or as a list of lines.
type lines string

// UnmarshalJSON reads either form.
func (l *lines) UnmarshalJSON(text []byte) error {
	var whole string
	if err := json.Unmarshal(text, &whole); err == nil {
		*l = lines(whole)
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*l = lines(strings.Join(list, ""))
	return nil
}
