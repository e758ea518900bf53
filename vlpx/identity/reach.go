package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// reach is all that a type's code leads to: declarations of its package and of others of the same module, with the versions of the modules
// that these use besides. The standard library and this module are left out, as they are for a part of this module.
type reach struct {
	program  *program
	packages map[*parsed]string // by their paths
	seen     map[*declaration]bool
	versions map[string]bool
}

// from follows a name that a package declares, with all that it leads to.
func (r *reach) from(of *parsed, name string) error {
	found := of.names[name]
	if len(found) > 1 {
		return fmt.Errorf("%s is declared more than once in %s", name, of.dir)
	}
	for _, d := range slices.Concat(found, of.methods[name]) {
		if err := r.follow(d); err != nil {
			return err
		}
	}
	return nil
}

// follow follows what a declaration mentions.
func (r *reach) follow(d *declaration) error {
	if r.seen[d] {
		return nil
	}
	r.seen[d] = true
	if f, is := d.node.(*ast.FuncDecl); is && f.Body == nil {
		return fmt.Errorf("it calls %s, which is not written in Go", d.name)
	}
	for _, doc := range d.doc {
		if doc == nil {
			continue
		}
		for _, line := range doc.List {
			if directive, _, _ := strings.Cut(line.Text, " "); directive == "//go:embed" || directive == "//go:linkname" {
				return fmt.Errorf("it uses %s, which has what the source does not show (%s)", d.name, directive)
			}
		}
	}
	m := d.mentioned()
	for _, name := range slices.Sorted(maps.Keys(m.names)) {
		if err := r.from(d.of, name); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(m.imports)) {
		if err := r.into(d.of, path, m.imports[path]); err != nil {
			return err
		}
	}
	return nil
}

// into follows names of an imported package.
func (r *reach) into(of *parsed, path string, names map[string]bool) error {
	version, beside, err := r.program.modules.version(path)
	if err != nil {
		return err
	}
	if version != "" {
		r.versions[version] = true
	}
	if !beside {
		return nil
	}
	dir, err := folder(path, of.dir)
	if err != nil {
		return err
	}
	other, err := r.program.folder(dir, "")
	if err != nil {
		return err
	}
	r.packages[other] = path
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if name == everything {
			return fmt.Errorf("it imports %s by a dot, or by another name than its last; name it", path)
		}
		if err := r.from(other, name); err != nil {
			return err
		}
	}
	return nil
}

// sum is the hash of what was reached, and of how it begins. Variables that may hold something else than they begin with are an error.
func (r *reach) sum() (string, error) {
	for more := true; more; { // what init does may reach variables in turn
		more = false
		for of := range r.packages {
			for _, d := range of.inits {
				if !r.seen[d] && slices.ContainsFunc(slices.Collect(maps.Keys(d.mentioned().names)), func(name string) bool { return r.variable(of, name) != nil }) {
					more = true
					if err := r.follow(d); err != nil {
						return "", err
					}
				}
			}
		}
	}
	var lines []string
	for d := range r.seen {
		if v, is := d.node.(*ast.ValueSpec); is {
			if err := r.steady(d.of, v); err != nil {
				return "", err
			}
		}
		lines = append(lines, fmt.Sprintf("%s\x00%s\x00%s", r.packages[d.of], d.name, d.tokens()))
	}
	lines = append(lines, slices.Collect(maps.Keys(r.versions))...)
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\x01")))
	return hex.EncodeToString(sum[:]), nil
}

// variable is the object of a variable that was reached; nil for other names.
func (r *reach) variable(of *parsed, name string) *types.Var {
	v, is := of.scope.Lookup(name).(*types.Var)
	if is && slices.ContainsFunc(of.names[name], func(d *declaration) bool { return r.seen[d] }) {
		return v
	}
	return nil
}

// everything stands for names of an import that are not told.
const everything = "*"

// mentions are the names that a declaration mentions: of its own package, and of those that it imports.
type mentions struct {
	names   map[string]bool
	imports map[string]map[string]bool
}

// mentioned lists what a declaration mentions. A name whose meaning is not known counts as whatever it can mean.
func (d *declaration) mentioned() mentions {
	m := mentions{map[string]bool{}, map[string]map[string]bool{}}
	imported := func(path, name string) {
		if m.imports[path] == nil {
			m.imports[path] = map[string]bool{}
		}
		m.imports[path][name] = true
	}
	unknown := func(id *ast.Ident, qualifies bool) {
		if d.of.names[id.Name] != nil {
			m.names[id.Name] = true
			return
		}
		for path, alias := range imports(d.file) {
			if alias == "." || qualifies && alias == "" {
				imported(path, everything)
			}
		}
	}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, is := n.X.(*ast.Ident); is {
				if path, is := d.of.info.Uses[id].(*types.PkgName); is {
					imported(path.Imported().Path(), n.Sel.Name)
					return false
				}
				if d.of.object(id) == nil {
					unknown(id, true)
					return false
				}
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			switch object := d.of.object(n); {
			case object == nil && n.Name != "_":
				unknown(n, false)
			case object != nil && object.Parent() == d.of.scope:
				m.names[n.Name] = true
			}
		}
		return true
	}
	ast.Inspect(d.node, visit)
	return m
}

// object is what a name means; nil if it is not known.
func (of *parsed) object(id *ast.Ident) types.Object {
	if used := of.info.Uses[id]; used != nil {
		return used
	}
	return of.info.Defs[id]
}

// errVaries says that a variable is no constant.
var errVaries = errors.New("make it a constant, or a field of the part")

// steady tells of variables that code beside what was reached may change, after which the part would do something else. What its own code
// changes is told by its source, unless other code calls that function, too.
func (r *reach) steady(of *parsed, spec *ast.ValueSpec) error {
	beside := r.beside(of)
	for _, id := range spec.Names {
		v, is := of.scope.Lookup(id.Name).(*types.Var)
		if !is {
			continue
		}
		fixed := immutable(spec)
		if of.name != "main" && id.IsExported() && !fixed {
			return fmt.Errorf("it uses the variable %s, which other packages may change; %w", id.Name, errVaries)
		}
		for _, all := range []map[string][]*declaration{of.names, of.methods} {
			for _, name := range slices.Sorted(maps.Keys(all)) {
				for _, d := range all[name] {
					if !r.seen[d] && of.mayChange(d.node, v, fixed) || r.seen[d] && beside[d.name] && of.mayChange(d.node, v, true) {
						return fmt.Errorf("it uses the variable %s, which %s may change; %w", id.Name, d.name, errVaries)
					}
				}
			}
		}
	}
	return nil
}

// beside are the names of a package that its code beside what was reached mentions.
func (r *reach) beside(of *parsed) map[string]bool {
	all := map[string]bool{}
	for _, declared := range []map[string][]*declaration{of.names, of.methods} {
		for _, ds := range declared {
			for _, d := range ds {
				if !r.seen[d] {
					maps.Copy(all, d.mentioned().names)
				}
			}
		}
	}
	return all
}
