package run

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/identity"
)

// parts is the package of the methods' parts. Of it a run is computed by what its own parts and the other packages reach, declaration by declaration,
// so that a new method beside them does not make older results those of other code.
const parts = "vlpx/negative"

// declared are the declarations of the package of parts. What code can reach is taken by its name alone, whatever the name means where it stands:
// that may be too much, and never too little. No type of the package can be at work that no code reached names: there is no list of its types by name,
// interfaces are met by the types that are named, and methods go with their types, wherever they are declared.
type declared struct {
	names  map[string][]declaration // methods are among those of their types
	always []declaration            // what runs by itself: functions named init, and variables that a call begins
	whole  bool                     // the source has what its declarations do not show, such as a directive
}

// declaration is what one says, without comments and layout, and the names that stand in it.
type declaration struct {
	tokens string
	names  []string
	told   told
}

// file adds the declarations of a file that parses.
func (d *declared) file(text []byte) error {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range tree.Comments {
		for _, comment := range group.List {
			d.whole = d.whole || strings.HasPrefix(comment.Text, "//go:")
		}
	}
	declare := func(node ast.Node) declaration {
		of := declaration{tokens: identity.Tokens(text[set.Position(node.Pos()).Offset:set.Position(node.End()).Offset]), told: tells(node, false)}
		ast.Inspect(node, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is && !slices.Contains(of.names, id.Name) {
				of.names = append(of.names, id.Name)
			}
			return true
		})
		return of
	}
	add := func(name string, of declaration) { d.names[name] = append(d.names[name], of) }
	for _, node := range tree.Decls {
		switch node := node.(type) {
		case *ast.FuncDecl:
			switch of := declare(node); {
			case node.Recv != nil:
				ast.Inspect(node.Recv.List[0].Type, func(n ast.Node) bool {
					if id, is := n.(*ast.Ident); is {
						add(id.Name, of)
					}
					return true
				})
			case node.Name.Name == "init":
				d.always = append(d.always, of)
			default:
				add(node.Name.Name, of)
			}
		case *ast.GenDecl:
			for _, spec := range node.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, declare(spec))
				case *ast.ValueSpec:
					of := declare(spec)
					if node.Tok == token.CONST {
						of = declare(node) // whose constants may hang on their places
					}
					for _, name := range spec.Names {
						add(name.Name, of)
					}
					if calls(spec) {
						d.always = append(d.always, of)
					}
				}
			}
		}
	}
	return nil
}

// calls tells whether something is called when a variable begins.
func calls(spec *ast.ValueSpec) (found bool) {
	ast.Inspect(spec, func(n ast.Node) bool {
		_, is := n.(*ast.CallExpr)
		found = found || is
		return !found
	})
	return found
}

// reached are the tokens of the declarations that names lead to, each once, sorted.
func (d *declared) reached(names []string) []string {
	tokens := map[string]bool{}
	for _, of := range d.follow(names) {
		tokens[of.tokens] = true
	}
	return sortedKeys(tokens)
}

// follow are the declarations that names lead to, with what runs by itself.
func (d *declared) follow(names []string) (all []declaration) {
	seen := map[string]bool{}
	all = slices.Clone(d.always)
	reach := func(names []string) {
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				all = append(all, d.names[name]...)
			}
		}
	}
	reach(names)
	for k := 0; k < len(all); k++ { // which grows
		reach(all[k].names)
	}
	return all
}

// mentions are the names of the package of parts that a file of another package has, and what it tells; all is true where the names cannot be told.
func mentions(text []byte, tree *ast.File) (names []string, all bool, telling told, err error) {
	local := ""
	for _, spec := range tree.Imports {
		of, err := strconv.Unquote(spec.Path.Value)
		if err != nil || of != module+parts {
			continue
		}
		if local = parts[strings.LastIndex(parts, "/")+1:]; spec.Name != nil {
			local = spec.Name.Name
		}
	}
	switch local {
	case "":
		return nil, false, told{}, nil
	case ".":
		return nil, true, told{}, nil
	}
	whole, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, false, told{}, err
	}
	ast.Inspect(whole, func(n ast.Node) bool {
		if of, is := n.(*ast.SelectorExpr); is {
			if id, is := of.X.(*ast.Ident); is && id.Name == local {
				names = append(names, of.Sel.Name)
			}
		}
		return true
	})
	return names, false, tells(whole, true), nil
}

// foreign finds in a run's JSON that some of its code is from elsewhere, which may use anything of this module.
var foreign = regexp.MustCompile(`"(` + strings.Join(codes, "|") + `)": *"[0-9a-f]{64}"`)

// partsOf are the types of the parts that a run's JSON names; told is false where they, or other code of the run, are not of this module.
func partsOf(settings []byte) (types []string, told bool) {
	var run struct {
		Train struct {
			Method map[string]json.RawMessage
		}
	}
	if foreign.Match(settings) || json.Unmarshal(settings, &run) != nil {
		return nil, false
	}
	for _, text := range run.Train.Method {
		var part map[string]json.RawMessage
		if json.Unmarshal(text, &part) != nil {
			continue // a number or a flag of the method itself
		}
		for of := range part {
			name, ours := strings.CutPrefix(strings.TrimPrefix(of, "*"), parts[strings.LastIndex(parts, "/")+1:]+".")
			if of == "<nil>" {
				continue // what the package puts there, which it names itself
			}
			if !ours {
				return nil, false
			}
			types = append(types, name)
		}
	}
	slices.Sort(types)
	return slices.Compact(types), true
}
