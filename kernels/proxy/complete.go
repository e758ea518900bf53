package proxy

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// What a cell is to a console, in the words of is_complete_reply.
const (
	Complete   = "complete"   // it can be run
	Incomplete = "incomplete" // more lines are to follow
	Invalid    = "invalid"    // no further line makes it a cell
)

// IsComplete tells whether a console may run the cell, or waits for more lines of it, and by what the next line is then indented.
//
// A cell is what GoNB takes for one: declarations, and statements after a line %%; lines that start with % or ! are commands. Where
// nothing follows such a line %% yet, or the first line of a script or a file, an empty line tells that nothing will.
func IsComplete(cell string) (status, indent string) {
	const clause = "package main\n"
	source, inMain := program(cell)
	whole, ended := clause+source, strings.HasSuffix(cell, "\n")
	if inMain {
		whole += "\n}\n"
	}
	switch {
	case isScript(cell):
		return completeIf(ended), ""
	case parse(whole) == nil:
		return completeIf(ended || !strings.HasSuffix(strings.TrimSpace(source), opensMain)), ""
	}
	begun := clause + source
	first := parse(begun)
	switch {
	case first == nil:
		return Invalid, "" // it has closed what %% opens
	case first.Msg == "raw string literal not terminated" || first.Msg == "comment not terminated":
		return Incomplete, ""
	case first.Pos.Offset >= len(begun):
		return Incomplete, strings.Repeat("\t", depth(source, inMain))
	}
	return Invalid, ""
}

// completeIf is the status of a cell without a mistake.
func completeIf(ended bool) string {
	if ended {
		return Complete
	}
	return Incomplete
}

// opensMain is what GoNB puts where a line %% is.
const opensMain = "func main() {"

// scripts are the first words of cells that are not Go.
var scripts = []string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"}

func isScript(cell string) bool {
	line, _, _ := strings.Cut(cell, "\n")
	word, _, _ := strings.Cut(strings.TrimPrefix(line, commentPrefix), " ")
	return slices.Contains(scripts, word)
}

// commentPrefix may stand before a command of GoNB's.
const commentPrefix = "//gonb:"

// program is the Go of a cell, in as many lines, as GoNB composes it, and whether it ends within the main that a line %% opens.
func program(cell string) (source string, inMain bool) {
	var b strings.Builder
	continued := false // a command goes on after a backslash
	for line := range strings.SplitSeq(cell, "\n") {
		command := strings.TrimPrefix(line, commentPrefix)
		switch {
		case continued:
			continued = strings.HasSuffix(command, `\`)
		case strings.HasPrefix(command, "%main") || command == "%%" || strings.HasPrefix(command, "%% ") ||
			strings.HasPrefix(command, "%%\t"):
			b.WriteString(opensMain)
			inMain = true
		case len(command) > 1 && (command[0] == '%' || command[0] == '!'):
			continued = strings.HasSuffix(command, `\`)
		case !strings.HasPrefix(line, "package"):
			b.WriteString(line)
		}
		b.WriteByte('\n')
	}
	return b.String(), inMain
}

// parse returns the first mistake in a file of Go.
func parse(source string) *scanner.Error {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	var mistakes scanner.ErrorList
	if !errors.As(err, &mistakes) || len(mistakes) == 0 {
		return &scanner.Error{Msg: err.Error()}
	}
	return mistakes[0]
}

// depth counts the lines with an open bracket, but for that which a line %% opens.
func depth(source string, inMain bool) int {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, 0)
	var open []int // the line of each
	for {
		at, symbol, _ := s.Scan()
		switch symbol {
		case token.LBRACE, token.LPAREN, token.LBRACK:
			open = append(open, file.Line(at))
		case token.RBRACE, token.RPAREN, token.RBRACK:
			open = open[:max(0, len(open)-1)]
		case token.EOF:
			lines := len(slices.Compact(open))
			if inMain {
				lines--
			}
			return max(0, lines)
		}
	}
}
