package source

import (
	"go/scanner"
	"go/token"
	"strings"
)

// tokens are those of a piece of Go that parses, a line each. A comma or a semicolon before a closing bracket is left out: the layout asks
// for it.
func tokens(source []byte) string {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(source)), source, nil, 0)
	var b strings.Builder
	pending := ""
	for {
		_, of, literal := s.Scan()
		switch of {
		case token.EOF:
			return b.String()
		case token.COMMA, token.SEMICOLON:
			b.WriteString(pending)
			pending = of.String() + "\n"
			continue
		case token.RPAREN, token.RBRACK, token.RBRACE:
		default:
			b.WriteString(pending)
		}
		pending = ""
		b.WriteString(of.String())
		if of.IsLiteral() {
			b.WriteString(" " + literal)
		}
		b.WriteString("\n")
	}
}
