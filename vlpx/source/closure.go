package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// closure is all that a type's code leads to: declarations of its package and of others of its module, and the versions of the other
// modules that their files import. The standard library and this module are left out, as they are for a part of this module. Names are
// followed whatever they mean where they stand: that may be too much, and never too little.
type closure struct {
	program  *program
	packages map[*parsed]string // by their paths
	reached  map[*declaration]bool
	versions map[string]bool
}

// closureOf returns the SHA-256 of what a type of a package leads to.
func (p *program) closureOf(of *parsed, typeName string) (string, error) {
	c := closure{p, map[*parsed]string{of: ""}, map[*declaration]bool{}, map[string]bool{}}
	if err := c.follow(of, typeName); err != nil {
		return "", err
	}
	if err := c.followVariables(); err != nil {
		return "", err
	}
	var lines []string
	for d := range c.reached {
		lines = append(lines, fmt.Sprintf("%s\x00%s\x00%s", c.packages[d.of], d.name, d.tokens()))
	}
	lines = append(lines, slices.Collect(maps.Keys(c.versions))...)
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\x01")))
	return hex.EncodeToString(sum[:]), nil
}

// follow follows a name that a package declares, with the methods of a type.
func (c *closure) follow(of *parsed, name string) error {
	for _, d := range of.names[name] {
		if err := c.add(d); err != nil {
			return err
		}
	}
	return nil
}

// add adds a declaration and what it mentions.
func (c *closure) add(d *declaration) error {
	if c.reached[d] {
		return nil
	}
	c.reached[d] = true
	if f, is := d.node.(*ast.FuncDecl); is && f.Body == nil {
		return fmt.Errorf("it calls %s, which is not written in Go", d.name)
	}
	if d.directive != "" {
		return fmt.Errorf("it uses %s, which has what the source does not show (%s)", d.name, d.directive)
	}
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		if err := c.follow(d.of, name); err != nil {
			return err
		}
	}
	for _, spec := range d.file.Imports {
		if err := c.imported(d, spec); err != nil {
			return err
		}
	}
	return nil
}

// imported follows what a declaration mentions of a package that its file imports.
func (c *closure) imported(d *declaration, spec *ast.ImportSpec) error {
	of := strings.Trim(spec.Path.Value, "\"`")
	version, beside, err := c.program.modules.version(of)
	if version != "" {
		c.versions[version] = true
	}
	local := path.Base(of)
	if spec.Name != nil {
		local = spec.Name.Name
	}
	names := d.selected[local]
	if local == "." {
		names = d.names
	}
	if len(names) == 0 || err == nil && !beside {
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := folder(of, d.of.dir)
	if err != nil {
		return err
	}
	other, err := c.program.folder(dir, "")
	if err != nil {
		return err
	}
	c.packages[other] = of
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := c.follow(other, name); err != nil {
			return err
		}
	}
	return nil
}

// followVariables adds what else mentions a variable that was reached, such as an init: it may say what the variable holds. A variable that
// code changes while the program runs is an error.
func (c *closure) followVariables() error {
	for more := true; more; {
		more = false
		for v := range maps.Clone(c.reached) {
			if v.kind != token.VAR {
				continue
			}
			for _, d := range v.of.all {
				if d == v || !d.names[v.name] {
					continue
				}
				if d.name == "main" || d.name != "init" && assigns(d.node, v.name) {
					return fmt.Errorf("it uses the variable %s, which %s may change; %s", v.name, d.name, steady)
				}
				more = more || !c.reached[d]
				if err := c.add(d); err != nil {
					return err
				}
			}
			if v.of.name != "main" && token.IsExported(v.name) {
				return fmt.Errorf("it uses the variable %s, which other packages may change; %s", v.name, steady)
			}
		}
	}
	return nil
}

// steady says what to do about a variable.
const steady = "make it a constant, or a field of the part"

// assigns reports whether code assigns to a variable or to a part of it, or takes its address.
func assigns(node ast.Node, variable string) (found bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		var changed []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				changed = n.Lhs
			}
		case *ast.IncDecStmt:
			changed = []ast.Expr{n.X}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				changed = []ast.Expr{n.Key, n.Value}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				changed = []ast.Expr{n.X}
			}
		}
		for _, x := range changed {
			found = found || root(x) == variable
		}
		return !found
	})
	return found
}

// root is the name of the variable that an expression is a part of.
func root(x ast.Expr) string {
	for {
		switch of := x.(type) {
		case *ast.Ident:
			return of.Name
		case *ast.ParenExpr:
			x = of.X
		case *ast.SelectorExpr:
			x = of.X
		case *ast.IndexExpr:
			x = of.X
		case *ast.SliceExpr:
			x = of.X
		case *ast.StarExpr:
			x = of.X
		default:
			return ""
		}
	}
}
