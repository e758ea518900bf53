package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// modules are those that a program was built of.
type modules struct {
	main string
	deps []*debug.Module
}

func modulesOf(info *debug.BuildInfo) modules { return modules{info.Main.Path, info.Deps} }

// version says where the code of an imported package is told: nowhere for the standard library and for this module, whose packages count as
// little as for a part of this module; in a version; or, of a module that has none, in a folder.
func (m modules) version(path string) (version string, folder bool, err error) {
	if path == "C" {
		return "", false, errors.New("it calls C")
	}
	if strings.HasPrefix(path+"/", ours) {
		return "", false, nil
	}
	var of *debug.Module
	for _, dep := range m.deps {
		if within(path, dep.Path) && (of == nil || len(dep.Path) > len(of.Path)) {
			of = dep
		}
	}
	switch {
	case of == nil:
		return "", m.main != "" && within(path, m.main), nil
	case of.Replace != nil || of.Version == "" || of.Version == "(devel)":
		return "", true, nil
	}
	return fmt.Sprintf("%s@%s %s", of.Path, of.Version, of.Sum), false, nil
}

// within tells whether a package lies in a module.
func within(path, module string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// folder is that of a package of the module in which another package lies, in dir.
func folder(path, dir string) (string, error) {
	for root := dir; ; root = filepath.Dir(root) {
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if of := moduleLine.FindSubmatch(text); err == nil && of != nil && within(path, string(of[1])) {
			return filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(path, string(of[1])))), nil
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("it uses %s, of another module, which has no version here", path)
		}
	}
}

// moduleLine tells in a go.mod whose it is.
var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)
