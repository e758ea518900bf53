package source

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	sources "vlpx.internal"
)

// Commit returns the commit of the running program's source, with "+changes" if there were some beside it. A program that was built without
// version control has that of VLPX_COMMIT, or "unknown".
func Commit() string {
	revision, modified := cmp.Or(os.Getenv("VLPX_COMMIT"), "unknown"), ""
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return revision
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	return revision + modified
}

// Code returns 16 hexadecimal digits of the SHA-256 of the packages of this module that compute a run by a framework: all that package run
// and the framework's own import, without comments and layout. A foreign framework may be made of any, so that all of them count.
func Code(framework any) string {
	dir := ""
	if framework != nil {
		dir, _ = strings.CutPrefix(pointed(reflect.TypeOf(framework)).PkgPath(), ours)
	}
	return computing().code(dir)
}

const (
	runs       = "vlpx/run" // which puts together and keeps what the others compute
	frameworks = "vlpx/framework/"
)

// computing are the packages that a run may be computed by.
var computing = sync.OnceValue(func() packages { return readPackages(sources.Files) })

// packages are those of this module, by their folders.
type packages struct {
	sums    map[string]string
	imports map[string][]string
}

// readPackages reads what package run and the frameworks reach, without tests.
func readPackages(files fs.FS) packages {
	p := packages{map[string]string{}, map[string][]string{}}
	var read func(dir string) error
	read = func(dir string) error {
		if _, known := p.sums[dir]; known {
			return nil
		}
		p.sums[dir] = ""
		var texts []string
		for _, pattern := range []string{"*.go", "*.s"} {
			names, err := fs.Glob(files, path.Join(dir, pattern))
			if err != nil {
				return err
			}
			for _, name := range names {
				if strings.HasSuffix(name, "_test.go") {
					continue
				}
				text, err := fs.ReadFile(files, name)
				if err != nil {
					return err
				}
				if path.Ext(name) == ".s" { // of which every character counts
					texts = append(texts, string(text))
					continue
				}
				texts = append(texts, tokens(text))
				tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
				if err != nil {
					return err
				}
				for _, spec := range tree.Imports {
					if of, is := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), ours); is {
						p.imports[dir] = append(p.imports[dir], of)
					}
				}
			}
		}
		slices.Sort(texts) // a file's name computes nothing
		sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
		p.sums[dir] = hex.EncodeToString(sum[:])
		for _, of := range p.imports[dir] {
			if err := read(of); err != nil {
				return err
			}
		}
		return nil
	}
	of, err := fs.Glob(files, frameworks+"*")
	for _, dir := range append(of, runs) {
		if err == nil && path.Ext(dir) == "" && path.Base(dir) != "all" { // which lists frameworks with their presets, and computes nothing
			err = read(dir)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("source: the source of this program: %v", err)) // which the compiler has read
	}
	return p
}

// code is the hash of what computes a run by the framework in a folder.
func (p packages) code(dir string) string {
	reached := map[string]bool{}
	var reach func(string)
	reach = func(of string) {
		if !reached[of] {
			reached[of] = true
			for _, imported := range p.imports[of] {
				reach(imported)
			}
		}
	}
	reach(runs)
	delete(reached, runs)
	for of := range p.sums {
		if of == dir || p.sums[dir] == "" && strings.HasPrefix(of, frameworks) {
			reach(of)
		}
	}
	hash := sha256.New()
	for _, of := range slices.Sorted(maps.Keys(reached)) {
		fmt.Fprintln(hash, of, p.sums[of])
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
