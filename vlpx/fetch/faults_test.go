package fetch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/faults"
)

// Whatever operation on files fails while a shard comes, of a server that cuts the connection and states no checksum, the next call goes on
// and has what the server has: a part whose end was lost with the power is not taken for what came.
func TestFaults(t *testing.T) {
	s := &server{content: strings.Repeat(text, 9), tag: `"1"`}
	from := s.at(t).From
	t.Log(faults.Every(t, 60, faults.Program{
		Do: func(dir string) error {
			f := File{From: from, To: filepath.Join(dir, "shards", "0.tar"), synced: 150}
			if _, err := os.Stat(f.To + ".part"); err != nil { // else what came of an earlier call is gone on from
				s.set(200)
				_, err := f.Get(t.Context(), nil)
				s.set(0)
				if err != nil && !strings.Contains(err.Error(), "cut off: unexpected EOF") {
					return err
				}
			}
			_, err := f.Get(t.Context(), nil)
			return err
		},
		Readable: func(dir string) error {
			got, err := os.ReadFile(filepath.Join(dir, "shards", "0.tar"))
			if err == nil && string(got) != s.content {
				return fmt.Errorf("the file has %q", got)
			}
			return nil
		},
		Done: func(dir string) error {
			got, err := os.ReadFile(filepath.Join(dir, "shards", "0.tar"))
			if err != nil || string(got) != s.content {
				return fmt.Errorf("the file has %q (%w)", got, err)
			}
			return alone(dir)
		},
	}))
}

// set has the server hang up after so many bytes; 0 for never.
func (s *server) set(cutAt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutAt = cutAt
}

// The same of a cache, of shards as the server names them.
func TestFaultsOfTheCache(t *testing.T) {
	t.Cleanup(release)
	s := newSite(t, "/0.tar")
	asked := s.places(t, "URL/0.tar")
	shard := func(dir string) ([]byte, error) {
		found, err := filepath.Glob(filepath.Join(dir, "*", "*", "0.tar"))
		if err != nil || len(found) != 1 {
			return nil, fmt.Errorf("there are %q (%w)", found, err)
		}
		return os.ReadFile(found[0])
	}
	t.Log(faults.Every(t, 60, faults.Program{
		Do: func(dir string) error {
			release() // as another process
			_, err := Cache{Dir: dir, Most: 1e6, Say: func(string, ...any) {}}.Local(t.Context(), asked)
			return err
		},
		Readable: func(dir string) error {
			if got, err := shard(dir); err == nil && string(got) != s.shards["/0.tar"] {
				return fmt.Errorf("the shard has %q", got)
			}
			return nil
		},
		Done: func(dir string) error {
			if got, err := shard(dir); err != nil || string(got) != s.shards["/0.tar"] {
				return fmt.Errorf("the shard has %q (%w)", got, err)
			}
			return alone(dir)
		},
	}))
}

// alone tells of files that are neither shards nor locks.
func alone(dir string) error {
	return faults.Left(dir, func(d fs.DirEntry) bool {
		return !d.IsDir() && filepath.Ext(d.Name()) != ".tar" && filepath.Ext(d.Name()) != ".lock"
	})
}
