package store

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

	"vlpx.internal/vlpx/disk"
)

// An archive is a gzipped tar: a manifest first, then the files of each run as ID/NAME.
const (
	ManifestName    = "vlpx-runs.json"
	ArchiveVersion  = 1
	longestManifest = 64 << 20 // bytes
)

// Manifest tells what an archive has.
type Manifest struct {
	Version int // of the archive
	Format  int // of the runs
	Runs    []PackedRun
}

// PackedRun is a run in an archive.
type PackedRun struct {
	ID    string
	Files []PackedFile
}

// PackedFile is a file of a run in an archive.
type PackedFile struct {
	Name   string
	Bytes  int64
	SHA256 string
}

// Pack writes runs, of a format, into one archive, which appears whole or not at all. Each is kept from other processes from when names is
// called, which lists its files or says why it does not go into an archive.
func (s *Store) Pack(ctx context.Context, path string, format int, ids []string, names func(id string) ([]string, error)) error {
	file, err := disk.NewPending(path, 0o644)
	if err != nil {
		return fmt.Errorf("run: writing %s: %w; choose another place", path, err)
	}
	defer file.Discard()
	about := Manifest{Version: ArchiveVersion, Format: format}
	for _, id := range ids {
		release, err := s.share(id)
		if err != nil {
			return err
		}
		defer release()
		files, err := names(id)
		if err != nil {
			return err
		}
		one, err := s.packed(ctx, id, files)
		if err != nil {
			return err
		}
		about.Runs = append(about.Runs, one)
	}
	if err := s.pack(ctx, file, about); err != nil {
		return fmt.Errorf("run: writing %s: %w", path, err)
	}
	if err := file.Place(); err != nil {
		return fmt.Errorf("run: writing %s: %w; make room, or choose another place", path, err)
	}
	return nil
}

// packed tells the files of a run as a manifest does.
func (s *Store) packed(ctx context.Context, id string, names []string) (PackedRun, error) {
	one := PackedRun{ID: id}
	for _, name := range names {
		if ctx.Err() != nil {
			return one, context.Cause(ctx)
		}
		sum := sha256.New()
		n, err := copyFile(sum, s.Path(id, name))
		if err != nil {
			return one, fmt.Errorf("run: %w", err)
		}
		one.Files = append(one.Files, PackedFile{name, n, hex.EncodeToString(sum.Sum(nil))})
	}
	return one, nil
}

func (s *Store) pack(ctx context.Context, to io.Writer, about Manifest) error {
	zipped, err := gzip.NewWriterLevel(to, gzip.BestSpeed) // weights hardly get smaller
	if err != nil {
		return err
	}
	w := tar.NewWriter(zipped)
	text, err := json.MarshalIndent(about, "", " ")
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: ManifestName, Mode: 0o644, Size: int64(len(text))}); err != nil {
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
			path, sum := s.Path(one.ID, file.Name), sha256.New()
			if _, err := copyFile(io.MultiWriter(w, sum), path); err != nil {
				return err
			}
			if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
				return fmt.Errorf("%s has changed meanwhile; try again", path)
			}
		}
	}
	return errors.Join(w.Close(), zipped.Close())
}
