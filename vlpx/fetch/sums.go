package fetch

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/place"
	"vlpx.internal/vlpx/disk"
)

// ParseSums reads lines of a SHA-256 and a file's name, as sha256sum writes them.
func ParseSums(text string) (map[string]string, error) {
	sums := map[string]string{}
	for k, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 || len(fields[0]) != 64 || strings.Trim(strings.ToLower(fields[0]), "0123456789abcdef") != "" {
			return nil, fmt.Errorf("line %d: %.80q: want a SHA-256 and a name, as sha256sum writes them", k+1, line)
		}
		sums[path.Base(strings.TrimPrefix(fields[1], "*"))] = strings.ToLower(fields[0])
	}
	return sums, nil
}

// ReadSums reads a file of checksums; it has none if it has no name.
func ReadSums(file string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := content.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sums, err := ParseSums(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return sums, nil
}

// checksums are those that places name, nil for none, and the other places.
func checksums(places []place.Place) (sums map[string]string, others []place.Place, err error) {
	for _, p := range places {
		if p.Sums == "" {
			others = append(others, p)
			continue
		}
		if sums != nil {
			return nil, nil, fmt.Errorf("%s: a second file of checksums; put both into one", p)
		}
		if sums, err = ReadSums(p.Sums); err != nil {
			return nil, nil, err
		}
	}
	return sums, others, nil
}

// verify holds shards that are here against their checksums, if there are any.
func verify(p place.Place, sums map[string]string, came bool) error {
	if sums == nil || p.Shards == "" {
		return nil
	}
	names, err := p.Names()
	if err != nil {
		return err
	}
	found, _ := content.Sums(p.Dir, names) // the error says that they are read each time
	for k, name := range names {
		at := filepath.Join(p.Dir, name)
		switch got := hex.EncodeToString(found[k]); {
		case sums[name] == "":
			return fmt.Errorf("%s: the file of checksums has none of %s", at, name)
		case got == "":
			return fmt.Errorf("%s: it cannot be read", at)
		case got != sums[name] && came:
			return errors.Join(fmt.Errorf("%s: its SHA-256 is %s, want %s; it was removed, fetch it again", at, got, sums[name]), disk.Remove(at))
		case got != sums[name]:
			return fmt.Errorf("%s: its SHA-256 is %s, want %s", at, got, sums[name])
		}
	}
	return nil
}
