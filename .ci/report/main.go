// Command report reads what go test -json writes and tells of it: each package and how long it took, the output of what
// failed, the slowest tests, and at the end every test that was skipped, with its reason. A skip that the file of its argument
// does not name is a failure, and so is a test that failed.
//
// A line of that file is a package, a test and why it may be skipped there. The test is a pattern of package path, so that
// TestGolden/* stands for all of its cases; a line that begins with # is a remark.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	sources "vlpx.internal"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ./... | report SKIPS")
		os.Exit(2)
	}
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		var allowed []allowance
		if allowed, err = parseAllowances(string(text)); err == nil {
			err = report(os.Stdin, os.Stdout, allowed)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// allowance is a test that may be skipped.
type allowance struct{ pkg, test, why string }

func parseAllowances(text string) (all []allowance, err error) {
	for k, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("line %d: %q: write a package, a test and why it may be skipped", k+1, line)
		}
		if _, err := path.Match(fields[1], ""); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", k+1, fields[1], err)
		}
		all = append(all, allowance{fields[0], fields[1], strings.Join(fields[2:], " ")})
	}
	return all, nil
}

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // in seconds
}

// test is a test that has ended, or a package for the empty name.
type test struct {
	pkg, name string
	seconds   float64
	output    string
}

func (t test) String() string { return strings.TrimSpace(t.pkg + " " + t.name) }

// slowest is how many of the slowest tests are told.
const slowest = 15

func report(events io.Reader, w io.Writer, allowed []allowance) error {
	output := map[test]string{} // of what is running
	var passed, skipped []test
	failed := 0
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(w, lines.Text()) // of the go command itself
			continue
		}
		of := test{pkg: strings.TrimPrefix(e.Package, sources.Folder), name: e.Test}
		ended := test{of.pkg, of.name, e.Elapsed, output[of]}
		switch e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
			continue
		case "output":
			output[of] += e.Output
			continue
		case "pass":
			if e.Test == "" {
				fmt.Fprintf(w, "ok   %7.1f s  %s\n", e.Elapsed, of.pkg)
			} else if !strings.Contains(e.Test, "/") {
				passed = append(passed, ended)
			}
		case "skip":
			if e.Test != "" {
				skipped = append(skipped, ended)
			}
		case "fail":
			failed++
			fmt.Fprintf(w, "FAIL %7.1f s  %s\n%s", e.Elapsed, of, ended.output)
		default:
			continue
		}
		delete(output, of)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	slices.SortFunc(passed, func(a, b test) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintln(w, "\nslowest tests:")
	for _, t := range passed[:min(slowest, len(passed))] {
		fmt.Fprintf(w, "     %7.1f s  %s\n", t.seconds, t)
	}
	unlisted := tellSkips(w, skipped, allowed)
	if failed+unlisted > 0 {
		return fmt.Errorf("%d tests and packages failed; %d tests were skipped that the list of skips does not name", failed, unlisted)
	}
	return nil
}

// tellSkips lists what was skipped and returns how many of them may not be.
func tellSkips(w io.Writer, skipped []test, allowed []allowance) (unlisted int) {
	fmt.Fprintf(w, "\n%d skipped:\n", len(skipped))
	for _, t := range skipped {
		why := "NOT ON THE LIST"
		for _, a := range allowed {
			if matched, _ := path.Match(a.test, t.name); matched && a.pkg == t.pkg {
				why = a.why
			}
		}
		if why == "NOT ON THE LIST" {
			unlisted++
		}
		fmt.Fprintf(w, "  %s: %s (%s)\n", t, reason(t.output), why)
	}
	return unlisted
}

// reason is what a test said when it was skipped.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			said = append(said, place.ReplaceAllString(line, ""))
		}
	}
	return strings.Join(said, " ")
}

// place is the file and line before a test's message.
var place = regexp.MustCompile(`^\w+\.go:\d+: `)
