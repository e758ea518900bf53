package run

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// told are the names of numbers that code tells (see [field.Teller]), as far as they stand in it.
type told struct {
	names []string
	more  bool // some are worked out, so that they are known only once they are told
}

// Tells are the names of the numbers that the parts of the run's method and its framework may tell while they train, as their source has them. more
// says that there may be others: some are worked out, or the code is not this module's.
func (r Run) Tells() (names []string, more bool) {
	return computing().tells(computing().folder(r.Train.Framework.Framework), r.JSON())
}

func (c *code) tells(dir string, settings []byte) (names []string, more bool) {
	types, known := partsOf(settings)
	if !known || dir == "" || c.parts.whole {
		return nil, true
	}
	names, more = slices.Clone(c.told[dir].names), c.told[dir].more
	for _, of := range c.parts.follow(types) {
		names, more = append(names, of.told.names...), more || of.told.more
	}
	slices.Sort(names)
	return slices.Compact(names), more
}

// tellers are the methods by which numbers are told, with their names first.
var tellers = []string{"Tell", "TellShare", "TellMean"}

// tells finds what a piece of code tells. In a framework Tell is of fields, too, which are no literals.
func tells(node ast.Node, framework bool) (all told) {
	ast.Inspect(node, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		by, is := call.Fun.(*ast.SelectorExpr)
		if !is || !slices.Contains(tellers, by.Sel.Name) {
			return true
		}
		if name, is := call.Args[0].(*ast.BasicLit); is && name.Kind == token.STRING {
			if text, err := strconv.Unquote(name.Value); err == nil {
				all.names = append(all.names, text)
				return true
			}
		}
		all.more = all.more || !framework || by.Sel.Name != "Tell"
		return true
	})
	return all
}
