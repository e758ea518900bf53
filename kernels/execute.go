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
	"syscall"

	"vlpx.internal/vlpx/disk"
)

// Execute runs every cell of the notebook file with the kernel installed under prefix (see Install), without a browser. Cells
// see the notebook's folder as working directory. The executed copy goes to out: a notebook, or, where out ends in .html, a
// page with all pictures in it that can be read offline. For the out "" nothing is written.
//
// A cell that does not compile, panics or exits with a status other than zero does not stop the cells after it; the error
// then names each such cell as its page does, In [2], with what it wrote to standard error or the compiler's complaint and the
// lines of cells that this is about, and out is written all the same. In any other case of error, such as a missing jupyter-nbconvert or a
// cancelled ctx, which ends the kernel and its cell, out is left as it was.
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
	data, err := dataDir(prefix)
	if err != nil {
		return err
	}
	if _, err := readSpec(specDir(data)); err != nil {
		return fmt.Errorf("the kernel is not installed: %w; run vlpx notebook -install", err)
	}
	if notebook, err = filepath.Abs(notebook); err != nil {
		return err
	}
	if err := Check(notebook); err != nil {
		return err
	}
	if out != "" {
		if err := canWrite(filepath.Dir(out)); err != nil {
			return fmt.Errorf("nothing can be written beside %s: %w", out, err)
		}
	}
	staging, err := os.MkdirTemp("", "vlpx-execute-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	env := append(environment(data), "VLPX_UNATTENDED=1") // launch.sh
	err = convert(ctx, nbconvert, env, notebook, "--to", "notebook", "--execute", "--allow-errors",
		"--ExecutePreprocessor.kernel_name="+Name, "--ExecutePreprocessor.startup_timeout=300",
		"--output-dir", staging)
	if err != nil {
		return err
	}
	executed := filepath.Join(staging, filepath.Base(notebook))
	text, err := os.ReadFile(executed)
	if err != nil {
		return err
	}
	if out != "" {
		copied := text
		if strings.EqualFold(filepath.Ext(out), ".html") {
			if copied, err = toHTML(ctx, nbconvert, executed); err != nil {
				return err
			}
		}
		if err := disk.WriteFile(out, copied, 0o644); err != nil {
			return err
		}
	}
	return failures(text)
}

// canWrite returns an error, before the hours that a notebook may take, if no file can be made in the folder.
func canWrite(dir string) error {
	file, err := os.CreateTemp(dir, ".vlpx-*")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}

// convert runs nbconvert on a notebook; an error carries the end of what it complained about.
func convert(ctx context.Context, nbconvert string, env []string, notebook string, arguments ...string) error {
	literal := strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(notebook) // nbconvert takes patterns
	command := exec.CommandContext(ctx, nbconvert, append(arguments, literal)...)
	command.Env = env
	// Interrupted, nbconvert stops its kernel; killed, it would leave it behind.
	apart(command, syscall.SIGINT, stopTimeout)
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("jupyter-nbconvert: %w\n%s", err, lastLines(log.String(), 20))
	}
	return nil
}

// failures returns an error that names each cell of an executed notebook that failed, nil when none did.
func failures(notebook []byte) error {
	var file struct {
		Cells []struct {
			Count   int `json:"execution_count"`
			Outputs []struct {
				Type      string   `json:"output_type"`
				Name      string   `json:"name"`
				Text      lines    `json:"text"`
				Value     string   `json:"evalue"`
				Traceback []string `json:"traceback"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &file); err != nil {
		return fmt.Errorf("the executed copy: %w", err)
	}
	var failed []error
	for _, cell := range file.Cells {
		var complaint strings.Builder
		for _, output := range cell.Outputs {
			switch {
			case output.Type == "stream" && output.Name == "stderr":
				complaint.WriteString(string(output.Text))
			case output.Type == "error":
				message := inCells(output.Value, output.Traceback)
				if written := written(complaint.String(), output.Value); written != "" {
					message += ": " + lastLines(written, 20)
				}
				failed = append(failed, fmt.Errorf("cell In [%d]: %s", cell.Count, message))
			}
		}
	}
	for k, err := range failed {
		failed[k] = errors.New(strings.ReplaceAll(colours.ReplaceAllString(err.Error(), ""), "\x1b", ""))
	}
	return errors.Join(failed...)
}

// written returns what a cell wrote to standard error, with places in cells for those in GoNB's program, and without the error's value,
// which GoNB repeats at its end.
func written(stderr, value string) string {
	text := strings.TrimSpace(colours.ReplaceAllString(stderr, ""))
	text = placeInStack.ReplaceAllString(text, "In [$1], line $2")
	return strings.TrimSpace(strings.TrimSuffix("\n"+text, "\n"+value))
}

// inCells returns the value of GoNB's error with the places in cells that its traceback has, line by line, for those in the
// program that it made of the cells, and without the names of that program and of the go get before it.
func inCells(value string, traceback []string) string {
	told := strings.Split(value, "\n")
	for k, line := range told {
		if k >= len(traceback) {
			break
		}
		place, message := placeInCell.FindStringSubmatch(traceback[k]), placeInProgram.FindStringSubmatch(line)
		if place != nil && message != nil {
			told[k] = fmt.Sprintf("In [%s], line %s: %s", place[1], place[2], message[1])
		}
	}
	return strings.TrimSpace(ofProgram.ReplaceAllString(strings.Join(told, "\n"), ""))
}

var (
	placeInCell    = regexp.MustCompile(`^Cell\[(\d+)\]: Line (\d+)\n`)
	placeInProgram = regexp.MustCompile(`^.*main(?:_test)?\.go:\d+:\d+: (.+)$`)
	placeInStack   = regexp.MustCompile(` ?\[\[ Cell \[(\d+)\] Line (\d+) \]\] \S*main(?:_test)?\.go:\d+(?: \+0x[0-9a-f]+)?`)
	ofProgram      = regexp.MustCompile(`(?m)^(# gonb_.*|failed to run ".*go get( -t)?": exit status \d+\n)\n`)
)

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
