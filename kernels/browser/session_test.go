package browser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// stepLimit bounds each step: generous, because only a hang shall meet it.
const stepLimit = 5 * time.Minute

// Session is a notebook in a browser. A step that fails ends the test with what the page showed and a screenshot.
type Session struct {
	t      *testing.T
	node   *exec.Cmd
	steps  io.WriteCloser
	answer *bufio.Reader
	name   string // of the notebook
	shots  string // the folder of screenshots; empty for none
}

// Cell is what the page shows of a cell.
type Cell struct {
	Number   int // from 1
	Running  bool
	Output   string // the text of all outputs
	Errors   string // the text of error outputs, such as a compiler's complaint
	Stderr   string
	Pictures []Picture
	Hidden   int // how many pixels of an output a reader must scroll inside the cell to see
}

// Picture is the size of a picture in pixels; zero if the browser could not read it.
type Picture struct{ Width, Height int }

// step is what page.mjs is asked to do.
type step struct {
	Do       string `json:"do"`
	URL      string `json:"url,omitempty"`
	Cells    []int  `json:"cells,omitempty"`
	Selector string `json:"selector,omitempty"`
	Text     string `json:"text,omitempty"`
	Value    string `json:"value,omitempty"`
	Path     string `json:"path,omitempty"`
	Limit    int64  `json:"limit"` // milliseconds
}

// openNotebook opens a notebook of the server in a browser of its own, which ends with the test. Screenshots go to $VLPX_SCREENSHOTS;
// without it none are taken.
func openNotebook(t *testing.T, j *jupyter, notebook string) *Session {
	t.Helper()
	library := must.Get(playwright(t.Context()))(t)
	s := &Session{t: t, name: strings.TrimSuffix(filepath.Base(notebook), ".ipynb"), shots: os.Getenv("VLPX_SCREENSHOTS")}
	s.node = exec.Command("node", "page.mjs", library, chromium, j.front.driver)
	s.node.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(j.scratch, "config"),
		"XDG_CACHE_HOME="+filepath.Join(j.scratch, "cache"))
	s.node.Stderr = t.Output()
	s.steps = must.Get(s.node.StdinPipe())(t)
	answers := must.Get(s.node.StdoutPipe())(t)
	s.answer = bufio.NewReader(answers)
	must.Do(t, s.node.Start())
	t.Cleanup(func() {
		s.steps.Close()
		hung := time.AfterFunc(time.Minute, func() { s.node.Process.Kill() })
		defer hung.Stop()
		if err := s.node.Wait(); err != nil {
			t.Errorf("page.mjs: %v", err)
		}
	})
	s.do(step{Do: "open", URL: j.page(notebook), Path: notebook}, nil)
	return s
}

// RunAll starts all cells, as the menu Cell > Run All does, and does not wait for them.
func (s *Session) RunAll() { s.t.Helper(); s.do(step{Do: "run"}, nil) }

// Run starts cells by their numbers and does not wait for them.
func (s *Session) Run(cells ...int) { s.t.Helper(); s.do(step{Do: "run", Cells: cells}, nil) }

// Finish waits until the cells, or all with code if none is named, are finished, and returns how long each took.
func (s *Session) Finish(cells ...int) []time.Duration {
	s.t.Helper()
	var milliseconds []float64
	s.do(step{Do: "finish", Cells: cells}, &milliseconds)
	took := make([]time.Duration, len(milliseconds))
	for i, ms := range milliseconds {
		took[i] = time.Duration(ms * float64(time.Millisecond))
	}
	return took
}

// Wait waits until an element that the CSS selector finds is seen and contains the text, upper or lower case.
func (s *Session) Wait(selector, text string) {
	s.t.Helper()
	s.do(step{Do: "wait", Selector: selector, Text: text}, nil)
}

// Click clicks the element that the selector finds.
func (s *Session) Click(selector string) {
	s.t.Helper()
	s.do(step{Do: "click", Selector: selector}, nil)
}

// Set moves a slider or fills a text box to the value, or picks the choice of a select by its value or label.
func (s *Session) Set(selector, value string) {
	s.t.Helper()
	s.do(step{Do: "set", Selector: selector, Value: value}, nil)
}

// Interrupt presses Kernel > Interrupt.
func (s *Session) Interrupt() { s.t.Helper(); s.do(step{Do: "interrupt"}, nil) }

// Restart restarts the kernel and waits for the new one.
func (s *Session) Restart() { s.t.Helper(); s.do(step{Do: "restart"}, nil) }

// Show turns to another notebook in the same page, as JupyterLab can.
func (s *Session) Show(notebook string) { s.t.Helper(); s.do(step{Do: "show", Path: notebook}, nil) }

// Reload saves the notebook and loads the page again.
func (s *Session) Reload() { s.t.Helper(); s.do(step{Do: "reload", Path: s.name + ".ipynb"}, nil) }

// Place is where a notebook stands: how many cells it has, and the number of the chosen one.
type Place struct{ Cells, Chosen int }

// Place returns where the notebook stands.
func (s *Session) Place() (at Place) { s.t.Helper(); s.do(step{Do: "place"}, &at); return at }

// Press presses keys, separated by spaces, while the element that the selector finds has the focus, and returns the element's value and
// where the notebook stands then.
func (s *Session) Press(selector, keys string) (value string, at Place) {
	s.t.Helper()
	var told struct {
		Value string
		Place
	}
	s.do(step{Do: "press", Selector: selector, Text: keys}, &told)
	return told.Value, told.Place
}

// Complete writes code into the last cell, presses Tab until there is a menu, and returns what the menu that comes up offers.
func (s *Session) Complete(code string) (offered []string) {
	s.t.Helper()
	s.do(step{Do: "complete", Text: code}, &offered)
	return offered
}

// Screenshot writes the whole notebook to a PNG, where screenshots are wanted.
func (s *Session) Screenshot(name string) {
	s.t.Helper()
	if s.shots != "" {
		s.do(step{Do: "screenshot", Path: s.shot(name)}, nil)
	}
}

// Cell returns what the page shows of a cell.
func (s *Session) Cell(number int) Cell { s.t.Helper(); return s.Cells()[number-1] }

// Cells returns what the page shows of every cell.
func (s *Session) Cells() []Cell {
	s.t.Helper()
	var cells []Cell
	s.do(step{Do: "cells"}, &cells)
	return cells
}

// ExpectNoErrors fails the test for every cell with an error or a line on standard error, for every picture that was not
// drawn, and for whatever the page complained about.
func (s *Session) ExpectNoErrors() {
	s.t.Helper()
	for _, cell := range s.Cells() {
		if cell.Errors != "" || cell.Stderr != "" {
			s.t.Errorf("cell %d failed:\n%s\n%s", cell.Number, cell.Errors, cell.Stderr)
		}
		for i, picture := range cell.Pictures {
			if picture.Width == 0 || picture.Height == 0 {
				s.t.Errorf("cell %d: picture %d was not drawn", cell.Number, i+1)
			}
		}
	}
	var complaints []string
	s.do(step{Do: "complaints"}, &complaints)
	for _, complaint := range complaints {
		s.t.Errorf("the page complained: %s", complaint)
	}
}

// do has page.mjs do a step and reads what it returned into result unless that is nil.
func (s *Session) do(wanted step, result any) {
	s.t.Helper()
	if err := s.try(wanted, result); err != nil {
		s.t.Fatalf("step %+v: %v\n%s", wanted, err, s.shown())
	}
}

func (s *Session) try(wanted step, result any) error {
	wanted.Limit = stepLimit.Milliseconds()
	line, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	hung := time.AfterFunc(stepLimit+time.Minute, func() { s.node.Process.Kill() })
	defer hung.Stop()
	if _, err := s.steps.Write(append(line, '\n')); err != nil {
		return err
	}
	if line, err = s.answer.ReadBytes('\n'); err != nil {
		return fmt.Errorf("page.mjs ended: %w", err)
	}
	var answer struct {
		Error  string
		Result json.RawMessage
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("page.mjs wrote %q: %w", line, err)
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// shown tells what the page showed, for a test that failed.
func (s *Session) shown() string {
	var text strings.Builder
	if s.shots == "" {
		fmt.Fprintln(&text, "no screenshot: $VLPX_SCREENSHOTS names no folder")
	} else if err := s.try(step{Do: "screenshot", Path: s.shot("failed")}, nil); err != nil {
		fmt.Fprintf(&text, "no screenshot: %v\n", err)
	} else {
		fmt.Fprintf(&text, "screenshot: %s\n", s.shot("failed"))
	}
	var cells []Cell
	if err := s.try(step{Do: "cells"}, &cells); err != nil {
		fmt.Fprintf(&text, "no cells: %v\n", err)
	}
	var complaints []string
	if err := s.try(step{Do: "complaints"}, &complaints); err == nil {
		fmt.Fprintf(&text, "the page complained: %q\n", complaints)
	}
	for _, cell := range cells {
		if cell.Running || cell.Output != "" {
			fmt.Fprintf(&text, "cell %d (running: %v, pictures: %v):\n%s\n", cell.Number, cell.Running, cell.Pictures, cell.Output)
		}
	}
	return text.String()
}

// shot is the path of a screenshot.
func (s *Session) shot(name string) string { return filepath.Join(s.shots, s.name+"-"+name+".png") }
