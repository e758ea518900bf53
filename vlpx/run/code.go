package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	sources "vlpx.internal"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/identity"
)

// Code identifies the code of this module that computes what the run gives: 16 hexadecimal digits of the SHA-256 of the packages that training,
// evaluation and the run's framework are made of, without comments and layout, and of what its method's parts reach in theirs. Where format and pinned
// losses say that a change of code changed the numbers of all, this says of a single result that they may have changed.
func (r Run) Code() string { return computing().code(r.Train.Framework.Framework, r.JSON()) }

// OtherCode tells whether a result is of another code than this program's, as far as it says of which it is: of older versions it does not.
func (r Run) OtherCode(of Result) bool {
	return computing().other(of.Code, r.Train.Framework.Framework, r.JSON())
}

// OtherCode is that of a run which its JSON tells.
func (d Description) OtherCode(of Result) bool {
	return computing().other(of.Code, d.Run.Train.Framework.Framework, d.JSON)
}

// AnsweredByOther tells whether what the store has of a run by a measure is of other code than this program's, as far as it says of which it is.
func (s *Store) AnsweredByOther(r Run, of Measure) (bool, error) {
	kept, done, err := s.evaluation(r, of)
	return done && computing().other(kept.Code, r.Train.Framework.Framework, r.JSON()), err
}

const (
	module     = "vlpx.internal/"
	frameworks = "vlpx/framework"
)

// computing is the code that this program was built from.
var computing = sync.OnceValue(func() *code { return readCode(sources.Computing) })

// code is the source of packages.
type code struct {
	sums    map[string]string   // of the files of each package, by its folder
	imports map[string][]string // of each package, of those that are there

	parts    declared
	mentions map[string][]string // of the package of parts, by each package
	told     map[string]told     // by each of these

	mu    sync.Mutex
	known map[string]string // by the folder of the framework and the types of the parts
}

// keeping are the files of this package that keep and read back what is computed, and compute nothing.
var keeping = []string{"answer.go", "archive.go", "code.go", "codeparts.go", "describe.go", "entry.go", "import.go", "kept.go", "label.go", "memory.go", "needs.go", "orphan.go", "prune.go",
	"remove.go", "result.go", "seal.go", "stale.go", "store.go", "take.go", "tells.go", "unreadable.go", "update.go", "verify.go"}

// readCode reads the packages in folders, without their tests.
func readCode(files fs.FS) *code {
	c := &code{
		sums: map[string]string{}, imports: map[string][]string{}, parts: declared{names: map[string][]declaration{}}, mentions: map[string][]string{},
		told:  map[string]told{},
		known: map[string]string{},
	}
	texts := map[string][]string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		dir := path.Dir(name)
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") || dir == "vlpx/run" && slices.Contains(keeping, path.Base(name)) {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if path.Ext(name) != ".go" { // assembly, of which every character counts
			texts[dir] = append(texts[dir], string(text))
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range tree.Imports {
			of, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if of, ours := strings.CutPrefix(of, module); ours && !slices.Contains(c.imports[dir], of) {
				c.imports[dir] = append(c.imports[dir], of)
			}
		}
		texts[dir] = append(texts[dir], identity.Tokens(text))
		if dir == parts {
			return c.parts.file(text)
		}
		names, all, telling, err := mentions(text, tree)
		c.mentions[dir], c.parts.whole = append(c.mentions[dir], names...), c.parts.whole || all
		c.told[dir] = told{append(c.told[dir].names, telling.names...), c.told[dir].more || telling.more}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("run: the source of this program: %v", err)) // which the compiler has read
	}
	for dir, all := range texts {
		slices.Sort(all) // a file's name computes nothing
		sum := sha256.Sum256([]byte(strings.Join(all, "\x00")))
		c.sums[dir] = hex.EncodeToString(sum[:])
	}
	return c
}

// code identifies what a run by a framework, with such settings, is computed with: all packages that package run and the framework's import, of that
// of parts what they and the run's parts reach. Where some of the run's code is from elsewhere it may be made of all that is here.
func (c *code) code(f framework.Framework, settings []byte) string {
	types, told := partsOf(settings)
	dir := c.folder(f)
	if !told || dir == "" || c.parts.whole {
		return c.of(dir, nil)
	}
	return c.of(dir, append([]string{}, types...))
}

// other tells whether code that made something is another one than today's; of older versions it is that of whole packages.
func (c *code) other(made string, f framework.Framework, settings []byte) bool {
	return made != "" && made != c.code(f, settings) && made != c.of(c.folder(f), nil)
}

// folder is that of the package of a framework; empty where it is not here.
func (c *code) folder(f framework.Framework) string {
	if f == nil {
		return ""
	}
	of := reflect.TypeOf(f)
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if dir := strings.TrimPrefix(of.PkgPath(), module); c.sums[dir] != "" {
		return dir
	}
	return ""
}

// of is the code of a framework's package, with the parts of such types or, where these are nil, all of them.
func (c *code) of(dir string, types []string) string {
	key := dir
	if types != nil {
		key += " " + strings.Join(types, ",")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[key] == "" {
		c.known[key] = c.sum(dir, types)
	}
	return c.known[key]
}

func (c *code) sum(dir string, types []string) string {
	reached := map[string]bool{}
	var reach func(string)
	reach = func(of string) {
		if c.sums[of] == "" || reached[of] {
			return
		}
		reached[of] = true
		for _, imported := range c.imports[of] {
			reach(imported)
		}
	}
	reach("vlpx/run")
	for of := range c.sums {
		if of == dir || dir == "" && strings.HasPrefix(of, frameworks+"/") {
			reach(of)
		}
	}
	hash, all := sha256.New(), sortedKeys(reached)
	for _, of := range all {
		if of == parts && types != nil {
			names := slices.Clone(types)
			for _, by := range all {
				names = append(names, c.mentions[by]...)
			}
			fmt.Fprintln(hash, of, strings.Join(c.parts.reached(names), "\x00"))
			continue
		}
		fmt.Fprintln(hash, of, c.sums[of])
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

func sortedKeys(of map[string]bool) []string { return slices.Sorted(maps.Keys(of)) }
