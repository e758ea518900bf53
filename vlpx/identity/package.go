package identity

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// parsed is a package as its files declare it. What it imports is not read: of a name from elsewhere it is known whence it is, and no more.
type parsed struct {
	dir   string
	name  string // as its files begin
	files map[*ast.File][]byte
	set   *token.FileSet
	info  types.Info
	scope *types.Scope
	// names are what the package declares, functions without those named init; methods are by their types' names.
	names, methods map[string][]*declaration
	inits          []*declaration // functions, and variables without a name
}

// declaration is one of a package: a function, or as much of a declaration of types, constants or variables as belongs together.
type declaration struct {
	name string // of a method behind that of its type
	node ast.Node
	doc  []*ast.CommentGroup
	file *ast.File
	of   *parsed
}

// errNewer says that a file is not the one that was built.
var errNewer = errors.New("has changed since the program was built; build it again")

// folder is the package in a folder that a file there is of, the only one without its tests for the file "", read once.
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
	of := &parsed{
		dir: dir, files: map[*ast.File][]byte{}, set: token.NewFileSet(), names: map[string][]*declaration{}, methods: map[string][]*declaration{},
		info: types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}},
	}
	built, err := p.built()
	if err != nil {
		return nil, fmt.Errorf("the running program cannot be found: %w", err)
	}
	paths, err := p.sources(dir, strings.HasSuffix(file, "_test.go"))
	if err != nil {
		return nil, fmt.Errorf("its source cannot be read: %w", err)
	}
	var all []*ast.File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.ModTime().After(built) {
			return nil, fmt.Errorf("%s %w", filepath.Base(path), errNewer)
		}
		var tree *ast.File
		text, err := os.ReadFile(path)
		if err == nil {
			tree, err = parser.ParseFile(of.set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		}
		if err != nil {
			return nil, fmt.Errorf("its source cannot be read: %w", err)
		}
		of.files[tree] = text
		all = append(all, tree)
		if path == file || file == "" {
			of.name = tree.Name.Name
		}
	}
	all = slices.DeleteFunc(all, func(tree *ast.File) bool { return tree.Name.Name != of.name })
	lenient := types.Config{Importer: nowhere{}, FakeImportC: true, Error: func(error) {}}
	checked, _ := lenient.Check(dir, of.set, all, &of.info) // that imports are missing is an error
	of.scope = checked.Scope()
	for _, file := range all {
		for _, d := range file.Decls {
			of.declare(file, d)
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

// nowhere finds no import.
type nowhere struct{}

func (nowhere) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// declare notes what a declaration declares.
func (of *parsed) declare(file *ast.File, d ast.Decl) {
	note := func(name string, node ast.Node, doc ...*ast.CommentGroup) {
		one := &declaration{name, node, doc, file, of}
		if name == "_" {
			of.inits = append(of.inits, one)
			return
		}
		of.names[name] = append(of.names[name], one)
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		one := &declaration{d.Name.Name, d, []*ast.CommentGroup{d.Doc}, file, of}
		switch receiver := receiverOf(d); {
		case receiver != "":
			one.name = receiver + "." + one.name
			of.methods[receiver] = append(of.methods[receiver], one)
		case d.Name.Name == "init":
			of.inits = append(of.inits, one)
		default:
			note(d.Name.Name, d, d.Doc)
		}
	case *ast.GenDecl:
		whole := d.Tok == token.CONST && counts(d)
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				note(spec.Name.Name, spec, d.Doc, spec.Doc)
			case *ast.ValueSpec:
				var node ast.Node = spec
				if whole {
					node = d
				}
				for _, name := range spec.Names {
					note(name.Name, node, d.Doc, spec.Doc)
				}
			}
		}
	}
}

// receiverOf is the name of the type that a function is a method of; empty for none.
func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	found := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is && found == "" {
			found = id.Name
		}
		return found == ""
	})
	return found
}

// counts tells whether constants of a group hang on their places: one repeats the value before it, or has iota.
func counts(d *ast.GenDecl) bool {
	return slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
		spec := s.(*ast.ValueSpec)
		found := len(spec.Values) == 0
		for _, value := range spec.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				id, is := n.(*ast.Ident)
				found = found || is && id.Name == "iota"
				return !found
			})
		}
		return found
	})
}

// declares tells whether the package has a method of a type where the program was told that it lies.
func (of *parsed) declares(typeName string, m method) bool {
	return slices.ContainsFunc(of.methods[typeName], func(d *declaration) bool {
		from, to := of.set.Position(d.node.Pos()), of.set.Position(d.node.End())
		return d.name == typeName+"."+m.name && from.Filename == m.file && from.Line <= m.line && m.line <= to.Line
	})
}

// imports are the paths that a file imports, by the names that it gives them; empty where it gives none.
func imports(file *ast.File) map[string]string {
	all := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // which the parser refuses
		}
		all[path] = ""
		if spec.Name != nil {
			all[path] = spec.Name.Name
		}
	}
	return all
}
