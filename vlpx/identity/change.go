package identity

import (
	"go/ast"
	"go/token"
	"go/types"
)

// mayChange tells whether a declaration may change what a variable of the package holds: it assigns to it or to a part of it, or hands out what
// others could do so by. A fixed one is changed by assigning to it alone.
func (of *parsed) mayChange(node ast.Node, v *types.Var, fixed bool) bool {
	var path []ast.Node // down to the node that is visited
	found := false
	ast.Inspect(node, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if id, is := n.(*ast.Ident); is && (of.info.Uses[id] == v || of.object(id) == nil && id.Name == v.Name() && !field(path)) {
			found = found || of.changedAt(path, fixed)
		}
		return true
	})
	return found
}

// changedAt tells whether the variable that a path leads to may be changed there.
func (of *parsed) changedAt(path []ast.Node, fixed bool) bool {
	k := len(path) - 1
	for ; k > 0; k-- { // up to the largest expression that is the variable or a part of it
		if !partOf(path[k-1], path[k]) {
			break
		}
	}
	if k == 0 {
		return false
	}
	part := path[k].(ast.Expr)
	switch parent := path[k-1].(type) {
	case *ast.AssignStmt:
		for _, to := range parent.Lhs {
			if to == part {
				return true
			}
		}
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		if parent.Op == token.AND {
			return true
		}
	case *ast.RangeStmt:
		if parent.X == part {
			return !fixed && !elementsCopied(of.info.Types[part].Type)
		}
		return true
	case *ast.CallExpr:
		if id, is := parent.Fun.(*ast.Ident); is && (id.Name == "len" || id.Name == "cap") {
			return false
		}
		if parent.Fun == part {
			_, method := part.(*ast.SelectorExpr)
			return method && !fixed
		}
	}
	return !fixed && !copied(of.info.Types[part].Type)
}

// partOf tells whether an expression is a part of what another one is, in the same place of memory or behind it.
func partOf(whole, of ast.Node) bool {
	switch whole := whole.(type) {
	case *ast.ParenExpr:
		return true
	case *ast.SelectorExpr:
		return whole.X == of
	case *ast.IndexExpr:
		return whole.X == of
	case *ast.SliceExpr:
		return whole.X == of
	case *ast.StarExpr:
		return true
	}
	return false
}

// copied tells whether a value of a type shares nothing with its copies.
func copied(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid && t.Kind() != types.UnsafePointer
	case *types.Array:
		return copied(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if !copied(t.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Signature:
		return true
	}
	return false
}

// elementsCopied tells whether ranging over a value hands out copies.
func elementsCopied(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return copied(t.Elem())
	case *types.Map:
		return copied(t.Key()) && copied(t.Elem())
	}
	return copied(t)
}

// field tells whether the name at the end of a path is that of a field or a method, or of a key that may be one.
func field(path []ast.Node) bool {
	if len(path) < 2 {
		return false
	}
	switch parent := path[len(path)-2].(type) {
	case *ast.SelectorExpr:
		return parent.Sel == path[len(path)-1]
	case *ast.KeyValueExpr:
		return parent.Key == path[len(path)-1]
	}
	return false
}

// immutable tells whether variables begin with errors, patterns and the like, which nobody changes but by assigning to the variable.
func immutable(spec *ast.ValueSpec) bool {
	for _, value := range spec.Values {
		call, is := value.(*ast.CallExpr)
		if !is {
			return false
		}
		made, is := call.Fun.(*ast.SelectorExpr)
		if !is {
			return false
		}
		from, is := made.X.(*ast.Ident)
		if !is || !immutableMakers[from.Name+"."+made.Sel.Name] {
			return false
		}
	}
	return len(spec.Values) > 0
}

// immutableMakers are the functions of the standard library that make such values.
var immutableMakers = map[string]bool{"errors.New": true, "fmt.Errorf": true, "regexp.MustCompile": true, "strings.NewReplacer": true}
