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
// evaluation and the run's framework are made of, without comments and layout. Where format and pinned losses say that a change of code changed
// the numbers of all, this says of a single result that they may have changed.
func (r Run) Code() string { return computing().code(r.Train.Framework.Framework) }

// OtherCode tells whether a result is of another code than this program's, as far as it says of which it is: of older versions it does not.
func (r Run) OtherCode(of Result) bool { return of.Code != "" && of.Code != r.Code() }

// AnsweredByOther tells whether what the store has of a run by a measure is of other code than this program's, as far as it says of which it is.
func (s *Store) AnsweredByOther(r Run, of Measure) (bool, error) {
	kept, done, err := s.evaluation(r, of)
	return done && kept.Code != "" && kept.Code != r.Code(), err
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

	mu    sync.Mutex
	whole map[string]string // by the folder of the framework
}

// keeping are the files of this package that keep and read back what is computed, and compute nothing.
var keeping = []string{"archive.go", "code.go", "describe.go", "entry.go", "import.go", "kept.go", "label.go", "memory.go", "needs.go", "orphan.go", "prune.go",
	"remove.go", "result.go", "stale.go", "store.go", "unreadable.go", "update.go", "verify.go"}

// readCode reads the packages in folders, without their tests.
func readCode(files fs.FS) *code {
	c := &code{sums: map[string]string{}, imports: map[string][]string{}, whole: map[string]string{}}
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
		return nil
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

// code identifies what a run by a framework is computed with: all packages that package run and the framework's import. Where the framework is
// defined elsewhere it may be made of any that is here.
func (c *code) code(f framework.Framework) string {
	dir := ""
	if f != nil {
		of := reflect.TypeOf(f)
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		dir = strings.TrimPrefix(of.PkgPath(), module)
	}
	if c.sums[dir] == "" {
		dir = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.whole[dir] == "" {
		c.whole[dir] = c.sum(dir)
	}
	return c.whole[dir]
}

func (c *code) sum(dir string) string {
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
	hash := sha256.New()
	for _, of := range slices.Sorted(maps.Keys(reached)) {
		fmt.Fprintln(hash, of, c.sums[of])
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
