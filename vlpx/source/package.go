package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// parsed is a package as its files declare it.
type parsed struct {
	dir   string
	name  string // as its files begin
	set   *token.FileSet
	all   []*declaration
	names map[string][]*declaration // by name; methods are among those of their types
}

// declaration is one of a package: a function, a type, a variable, or a group of constants.
type declaration struct {
	name      string // of a method behind that of its type
	kind      token.Token
	node      ast.Node
	directive string // such as //go:embed; empty for none
	text      []byte // of the file
	file      *ast.File
	of        *parsed
	names     map[string]bool            // the names that stand in it
	selected  map[string]map[string]bool // what stands behind a name and a dot, by that name
}

// errNewer says that a file is not the one that was built.
var errNewer = errors.New("has changed since the program was built; build it again")

// folder is the package in a folder that a file there is of. For the file "" it is the only package without its tests. It is read once.
func (p *program) folder(dir, file string) (*parsed, error) {
	key := dir + "\n" + file
	if known := p.packages[key]; known != nil {
		return known, nil
	}
	of, err := p.read(dir, file)
	if err != nil {
		return nil, err
	}
	p.packages[key] = of
	return of, nil
}

func (p *program) read(dir, file string) (*parsed, error) {
	built, err := p.built()
	if err != nil {
		return nil, fmt.Errorf("the running program cannot be found: %w", err)
	}
	paths, err := p.sources(dir, strings.HasSuffix(file, "_test.go"))
	if err != nil {
		return nil, fmt.Errorf("its source cannot be read: %w", err)
	}
	of := &parsed{dir: dir, set: token.NewFileSet(), names: map[string][]*declaration{}}
	trees, texts := map[string]*ast.File{}, map[string][]byte{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.ModTime().After(built) {
			return nil, fmt.Errorf("%s %w", filepath.Base(path), errNewer)
		}
		if texts[path], err = os.ReadFile(path); err == nil {
			trees[path], err = parser.ParseFile(of.set, path, texts[path], parser.ParseComments|parser.SkipObjectResolution)
		}
		if err != nil {
			return nil, fmt.Errorf("its source cannot be read: %w", err)
		}
		if path == file || file == "" {
			of.name = trees[path].Name.Name
		}
	}
	for _, path := range paths {
		if tree := trees[path]; tree.Name.Name == of.name {
			for _, d := range tree.Decls {
				of.declare(declaration{text: texts[path], file: tree, of: of}, d)
			}
		}
	}
	return of, nil
}

// sources are the files in a folder that the program is built of there, with its tests or without.
func (p *program) sources(dir string, tests bool) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	constraints := build.Default
	constraints.BuildTags, constraints.CgoEnabled = p.tags, true
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") && !tests {
			continue
		}
		matches, err := constraints.MatchFile(dir, entry.Name())
		if err != nil {
			return nil, err
		}
		if matches {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// declare notes what a declaration of a file declares.
func (of *parsed) declare(in declaration, d ast.Decl) {
	add := func(name string, kind token.Token, node ast.Node, under []string, docs ...*ast.CommentGroup) {
		one := in
		one.name, one.kind, one.node, one.directive = name, kind, node, directive(docs)
		one.mention()
		of.all = append(of.all, &one)
		for _, name := range under {
			of.names[name] = append(of.names[name], &one)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch receiver := receiverOf(d); {
		case receiver != "":
			add(receiver+"."+d.Name.Name, token.FUNC, d, []string{receiver}, d.Doc)
		case d.Name.Name == "init":
			add("init", token.FUNC, d, nil, d.Doc)
		default:
			add(d.Name.Name, token.FUNC, d, []string{d.Name.Name}, d.Doc)
		}
	case *ast.GenDecl:
		if d.Tok == token.CONST { // a group, whose values may hang on their places
			var all []string
			for _, spec := range d.Specs {
				all = append(all, namesOf(spec)...)
			}
			add(strings.Join(all, " "), d.Tok, d, all, d.Doc)
			return
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name.Name, d.Tok, spec, []string{spec.Name.Name}, d.Doc, spec.Doc)
			case *ast.ValueSpec:
				for _, name := range namesOf(spec) {
					add(name, d.Tok, spec, []string{name}, d.Doc, spec.Doc)
				}
			}
		}
	}
}

func namesOf(spec ast.Spec) (all []string) {
	for _, name := range spec.(*ast.ValueSpec).Names {
		all = append(all, name.Name)
	}
	return all
}

// directive is the first that says what the source does not show.
func directive(docs []*ast.CommentGroup) string {
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, line := range doc.List {
			if first, _, _ := strings.Cut(line.Text, " "); first == "//go:embed" || first == "//go:linkname" {
				return first
			}
		}
	}
	return ""
}

// receiverOf is the name of the type that a function is a method of; empty for none.
func receiverOf(f *ast.FuncDecl) (name string) {
	if f.Recv != nil {
		ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is && name == "" {
				name = id.Name
			}
			return name == ""
		})
	}
	return name
}

// mention lists the names that stand in the declaration. One behind a dot is a field, a method, or what an import has.
func (d *declaration) mention() {
	d.names, d.selected = map[string]bool{}, map[string]map[string]bool{}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, is := n.X.(*ast.Ident); is {
				if d.selected[id.Name] == nil {
					d.selected[id.Name] = map[string]bool{}
				}
				d.selected[id.Name][n.Sel.Name] = true
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			if n.Name != "_" {
				d.names[n.Name] = true
			}
		}
		return true
	}
	ast.Inspect(d.node, visit)
}

// declares reports whether the package has a method of a type where the program was told that it lies.
func (of *parsed) declares(typeName string, m method) bool {
	return slices.ContainsFunc(of.names[typeName], func(d *declaration) bool {
		from, to := of.set.Position(d.node.Pos()), of.set.Position(d.node.End())
		return d.name == typeName+"."+m.name && from.Filename == m.file && from.Line <= m.line && m.line <= to.Line
	})
}

// tokens is what a declaration says, without its comments and however it is laid out.
func (d *declaration) tokens() string {
	file := d.of.set.File(d.node.Pos())
	return tokens(d.text[file.Offset(d.node.Pos()):file.Offset(d.node.End())])
}
