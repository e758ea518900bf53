// Package place reads what names data: folders, shards (tar or parquet) in braces, and addresses of shards, several of them with commas
// between. It imports nothing of the rest of this module.
package place

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Place is where data lies: a folder, or shards in one. It may be a file of the shards' checksums instead.
type Place struct {
	Dir    string // the folder, or its address, without braces
	Shards string // what the shards in it are called, with braces; "" where the data is the folder
	Split  string // the split of the shards, train, val or test; "" for a folder
	Query  string // of an address, with its "?"
	Sums   string // the file of checksums, as sha256sum writes it; nothing else is set then
}

// splits are those that shards may be of.
var splits = []string{"train", "val", "test"}

// Endings of shards.
const (
	Tar     = ".tar"
	Parquet = ".parquet"
)

var endings = []string{Tar, Parquet}

// Parse reads the name of data: places with commas between, each a folder, shards such as cc3m/{000..331}.tar, or their address. Shards are
// of the split train, or of the one in front, as in val=cc3m/val.tar. sums=FILE names their checksums. A folder that is there is taken as
// it is, whatever its name.
func Parse(name string) ([]Place, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return []Place{{Dir: name}}, nil
	}
	var all []Place
	for _, one := range parts(name) {
		some, err := parse(strings.TrimSpace(one))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// parts are what commas outside of braces divide.
func parts(name string) (all []string) {
	depth, from := 0, 0
	for k, letter := range name {
		switch {
		case letter == '{':
			depth++
		case letter == '}':
			depth--
		case letter == ',' && depth == 0:
			all, from = append(all, name[from:k]), k+1
		}
	}
	return append(all, name[from:])
}

// parse reads one place, or several where the folder of shards has braces.
func parse(one string) ([]Place, error) {
	if sums, ok := strings.CutPrefix(one, "sums="); ok && sums != "" {
		return []Place{{Sums: sums}}, nil
	}
	p := Place{}
	pattern := one
	if split, rest, found := strings.Cut(one, "="); found && !strings.ContainsAny(split, "/?") && isShard(rest) {
		p.Split, pattern = split, rest
		if !slices.Contains(splits, split) {
			return nil, fmt.Errorf("no split %q; they are train, val and test", split)
		}
	}
	if !isShard(pattern) {
		dirs, err := Expand(pattern)
		if err != nil {
			return nil, err
		}
		var all []Place
		for _, dir := range dirs {
			if dir == "" {
				return nil, errors.New("it is empty before or behind a comma; name a place there, or drop the comma")
			}
			all = append(all, Place{Dir: dir})
		}
		return all, nil
	}
	if p.Split == "" {
		p.Split = splits[0]
	}
	if isAddress(pattern) {
		if k := strings.IndexByte(pattern, '?'); k >= 0 {
			pattern, p.Query = pattern[:k], pattern[k:]
		}
	}
	slash := strings.LastIndexByte(pattern, '/')
	dir := "."
	if slash >= 0 {
		dir = "/" + strings.Trim(pattern[:slash], "/")
		if pattern[0] != '/' {
			dir = dir[1:]
		}
	}
	p.Shards = pattern[slash+1:]
	dirs, err := Expand(dir)
	if err != nil {
		return nil, err
	}
	var all []Place
	for _, dir := range dirs {
		if p.Dir = dir; dir == "" {
			return nil, fmt.Errorf("%s: the name of a folder is empty", one)
		}
		if isAddress(pattern) && !p.Remote() {
			return nil, fmt.Errorf("%s: an address has a host", one)
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// isShard tells the name of shards from that of a folder.
func isShard(name string) bool {
	return isAddress(name) || slices.ContainsFunc(endings, func(ending string) bool {
		return strings.HasSuffix(name, ending) || strings.HasSuffix(name, ending+"}")
	})
}

func isAddress(name string) bool { return strings.Contains(name, "://") }

// check says what is wrong with shards.
func (p Place) check() error {
	names, err := p.Names()
	if err != nil {
		return err
	}
	ending := path.Ext(names[0])
	for _, name := range names {
		if !slices.Contains(endings, path.Ext(name)) || slices.Contains(endings, name) {
			return fmt.Errorf("%q is no plain .tar and no .parquet", name)
		}
		if path.Ext(name) != ending {
			return fmt.Errorf("%q and %q are not of one kind; name them apart, with a comma between", names[0], name)
		}
	}
	if !p.Remote() {
		return nil
	}
	u, err := url.Parse(p.Dir + "/" + names[0] + p.Query)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("an address begins with http:// or https:// and a host")
	}
	return nil
}

// Remote tells an address.
func (p Place) Remote() bool { return isAddress(p.Dir) }

// Names are those of the shards.
func (p Place) Names() ([]string, error) { return Expand(p.Shards) }

// Ending is that of all shards, [Tar] or [Parquet].
func (p Place) Ending() string {
	names, err := p.Names()
	if err != nil { // which Parse would have told
		return ""
	}
	return path.Ext(names[0])
}

// String names the place, as Parse reads it.
func (p Place) String() string {
	switch {
	case p.Sums != "":
		return "sums=" + p.Sums
	case p.Shards == "":
		return p.Dir
	}
	return p.Split + "=" + strings.TrimSuffix(p.Dir, "/") + "/" + p.Shards + p.Query
}

// Called is what the data of a place is called: the folder's name, or the one's above where that is a split's; the host's where an address
// has none.
func (p Place) Called() string {
	if p.Remote() {
		u, _ := url.Parse(p.Dir) // which check has read
		base := above(path.Clean("/" + u.Path))
		if base == "/" {
			base = u.Hostname()
		}
		return cmp.Or(strings.Trim(notInNames.ReplaceAllString(base, "-"), ".-"), "shards")
	}
	whole, err := filepath.Abs(p.Dir)
	if err != nil {
		whole = p.Dir
	}
	return above(filepath.ToSlash(whole))
}

// above is the last folder of a path that is not called as a split.
func above(whole string) string {
	if slices.Contains(splits, path.Base(whole)) {
		whole = path.Dir(whole)
	}
	return path.Base(whole)
}

// notInNames is what names of folders do not all take.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Name names places, as Parse reads them.
func Name(places []Place) string {
	var all []string
	for _, p := range places {
		all = append(all, p.String())
	}
	return strings.Join(all, ",")
}
