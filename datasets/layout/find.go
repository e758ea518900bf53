package layout

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/hubparquet"
	"vlpx.internal/datasets/place"
	"vlpx.internal/datasets/webdataset"
)

// Find is the name of data with the places that it has here: each folder is itself, or lies below $VLPX_DATA. An address is an error: what
// fetches its shards gives them places first.
func Find(name string) (string, error) {
	places, err := place.Parse(name)
	if err != nil {
		return "", fmt.Errorf("data %w", err)
	}
	for k, p := range places {
		switch {
		case p.Sums != "":
			return "", fmt.Errorf("data %s: checksums are of -data and -data2 alone", p)
		case p.Remote():
			return "", fmt.Errorf("data %s: an address, no folder; vlpx data fetch '%s' -o FOLDER puts its shards into one", p, p)
		}
		if places[k].Dir, err = folder(p.Dir); err != nil {
			return "", err
		}
	}
	return place.Name(places), nil
}

// folder finds one folder.
func folder(name string) (string, error) {
	places := []string{name}
	if root := os.Getenv("VLPX_DATA"); root != "" {
		places = append(places, filepath.Join(root, name))
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			return place, nil
		}
	}
	return "", fmt.Errorf("data %s: no such folder, here or in $VLPX_DATA; use scenes for generated data", name)
}

// Absolute is the name of data with whole paths in the place of those of folders that are there, so that a process elsewhere finds them.
func Absolute(name string) string {
	places, err := place.Parse(name)
	if err != nil {
		return name
	}
	for k := range places {
		for _, path := range []*string{&places[k].Dir, &places[k].Sums} {
			if _, err := os.Stat(*path); err != nil {
				continue // an address, or a name in $VLPX_DATA
			}
			if whole, err := filepath.Abs(*path); err == nil {
				*path = whole
			}
		}
	}
	return place.Name(places)
}

// Open opens data by its name, as [Find] has it: a folder by its layout, shards of a kind as one collection, called after the first of
// their folders, and several of these joined (see [datasets.Joined]).
func Open(name string) (datasets.Collection, error) {
	places, err := place.Parse(name)
	if err != nil {
		return nil, fmt.Errorf("data %w", err)
	}
	var parts []datasets.Collection
	shards := map[string][]place.Place{}
	for _, p := range places {
		if p.Shards != "" {
			shards[p.Ending()] = append(shards[p.Ending()], p)
			continue
		}
		c, err := openFolder(p.Dir)
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	for _, ending := range slices.Sorted(maps.Keys(shards)) {
		c, err := openShards(shards[ending], ending)
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
	}
	return datasets.Joined(parts)
}

// openShards opens shards of one kind.
func openShards(places []place.Place, ending string) (datasets.Collection, error) {
	splits := map[string][]string{}
	for _, p := range places {
		names, err := p.Names()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			splits[p.Split] = append(splits[p.Split], filepath.Join(p.Dir, name))
		}
	}
	open := opener(func(name string) (*hubparquet.Collection, error) { return hubparquet.OpenFiles(name, splits) })
	if ending == place.Tar {
		open = opener(func(name string) (*webdataset.Collection, error) {
			return webdataset.OpenShards(name, places[0].Dir, splits)
		})
	}
	return open(places[0].Called())
}
