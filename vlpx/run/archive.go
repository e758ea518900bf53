package run

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"vlpx.internal/vlpx/train"
)

// An archive is a gzipped tar: a manifest first, then the files of each run as ID/NAME, runs that are needed before those that need them.
const (
	manifestName    = "vlpx-runs.json"
	archiveVersion  = 1
	longestManifest = 64 << 20 // bytes
)

// manifest tells what an archive has.
type manifest struct {
	Version int // of the archive
	Format  int // of the runs
	Runs    []archivedRun
}

type archivedRun struct {
	ID    string
	Files []archivedFile
}

type archivedFile struct {
	Name   string
	Bytes  int64
	SHA256 string
}

// Archive says what an archive gets.
type Archive struct {
	IDs     []string // runs
	Alone   bool     // without those that they need
	Results bool     // without the weights
}

// Export writes runs of the store into one archive, which appears whole or not at all, and tells which: those that these need go along.
func (s *Store) Export(ctx context.Context, path string, of Archive) ([]Entry, error) {
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	going, err := of.of(all)
	if err != nil {
		return nil, err
	}
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644), renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return nil, fmt.Errorf("run: writing %s: %w; choose another place", path, err)
	}
	defer file.Cleanup()
	about := manifest{Version: archiveVersion, Format: format}
	for _, e := range going {
		release, err := s.share(e.ID)
		if err != nil {
			return nil, err
		}
		defer release()
		if err := s.sound(e); err != nil {
			return nil, err
		}
		one, err := s.archived(ctx, e.ID, of.Results)
		if err != nil {
			return nil, err
		}
		about.Runs = append(about.Runs, one)
	}
	if err := s.writeArchive(ctx, file, about); err != nil {
		return nil, fmt.Errorf("run: writing %s: %w", path, err)
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return nil, fmt.Errorf("run: writing %s: %w; make room, or choose another place", path, err)
	}
	return going, nil
}

// of are the runs that an archive gets, those that are needed first.
func (a Archive) of(all []Entry) ([]Entry, error) {
	var going []Entry
	added := map[string]bool{}
	var add func(id, needing string) error
	add = func(id, needing string) error {
		if added[id] {
			return nil
		}
		added[id] = true
		i := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id })
		switch {
		case i < 0 && needing != "":
			return fmt.Errorf("run: %s needs %s, which the store lacks; export it alone", Short(needing), Short(id))
		case i < 0:
			return fmt.Errorf("run: the store has no run %s", id)
		case all[i].State != Finished && needing != "":
			return fmt.Errorf("run: %s needs %s, which is %s; export it alone", Short(needing), Short(id), all[i].State)
		case all[i].State != Finished:
			return fmt.Errorf("run: %s is %s; only finished runs go into an archive", Short(id), all[i].State)
		}
		if !a.Alone {
			for _, need := range all[i].Needs() {
				if err := add(need.ID, id); err != nil {
					return err
				}
			}
		}
		going = append(going, all[i])
		return nil
	}
	if len(a.IDs) == 0 {
		return nil, errors.New("run: no runs to export; name some")
	}
	for _, id := range a.IDs {
		if err := add(id, ""); err != nil {
			return nil, err
		}
	}
	return going, nil
}

// share keeps other processes from a run's folder until it is released, and lets them read.
func (s *Store) share(id string) (release func(), err error) {
	lock := flock.New(filepath.Join(s.dir, id, lockName))
	got, err := lock.TryRLock()
	if err != nil {
		return nil, fmt.Errorf("run: taking the folder of run %s: %w", id, err)
	}
	if !got {
		return nil, fmt.Errorf("run: a process is at run %s; stop it first, or wait for it", Short(id))
	}
	return func() { lock.Unlock() }, nil
}

// archived tells the files of a run that go into an archive.
func (s *Store) archived(ctx context.Context, id string, results bool) (archivedRun, error) {
	files, err := os.ReadDir(filepath.Join(s.dir, id))
	if err != nil {
		return archivedRun{}, fmt.Errorf("run: %w", err)
	}
	one := archivedRun{ID: id}
	for _, file := range files {
		name := file.Name()
		if !archivable(name) || results && slices.Contains(modelNames, name) {
			continue
		}
		if ctx.Err() != nil {
			return one, context.Cause(ctx)
		}
		sum := sha256.New()
		n, err := copyFile(sum, filepath.Join(s.dir, id, name))
		if err != nil {
			return one, fmt.Errorf("run: %w", err)
		}
		one.Files = append(one.Files, archivedFile{name, n, hex.EncodeToString(sum.Sum(nil))})
	}
	return one, nil
}

// archivable tells whether a file of a run's folder has a place in an archive: one of those that the store itself writes there.
func archivable(name string) bool {
	if slices.Contains([]string{runName, labelName, resultName, tokenizerName, train.CurvesName}, name) ||
		slices.Contains(modelNames, name) {
		return true
	}
	for _, prefix := range []string{minedPrefix, taskPrefix} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			id, ok := strings.CutSuffix(rest, ".json")
			return ok && isID(id)
		}
	}
	return false
}

func copyFile(to io.Writer, path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(to, file)
}

func (s *Store) writeArchive(ctx context.Context, to io.Writer, about manifest) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestSpeed) // weights hardly get smaller
	if err != nil {
		return err
	}
	w := tar.NewWriter(packed)
	text, err := json.MarshalIndent(about, "", " ")
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o644, Size: int64(len(text))}); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, one := range about.Runs {
		for _, file := range one.Files {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := w.WriteHeader(&tar.Header{Name: one.ID + "/" + file.Name, Mode: 0o644, Size: file.Bytes}); err != nil {
				return err
			}
			path, sum := filepath.Join(s.dir, one.ID, file.Name), sha256.New()
			if _, err := copyFile(io.MultiWriter(w, sum), path); err != nil {
				return err
			}
			if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
				return fmt.Errorf("%s has changed meanwhile; try again", path)
			}
		}
	}
	return errors.Join(w.Close(), packed.Close())
}
