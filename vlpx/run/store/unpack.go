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
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"vlpx.internal/vlpx/disk"
)

// Kind says what may be in an archive.
type Kind struct {
	Format  int                    // of the runs
	Belongs func(name string) bool // whether a file has a place in a run's folder
	Needs   []string               // files without which a run is none
}

// readManifest reads what an archive has.
func (k Kind) readManifest(r *tar.Reader) (about Manifest, err error) {
	header, err := r.Next()
	if err != nil || header.Name != ManifestName || header.Typeflag != tar.TypeReg {
		return about, errors.New("no archive of runs; vlpx store export makes one")
	}
	if header.Size > longestManifest {
		return about, fmt.Errorf("its manifest has %d bytes", header.Size)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return about, fmt.Errorf("its manifest: %w", err)
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return about, fmt.Errorf("its manifest: %w", err)
	}
	if about.Version != ArchiveVersion || about.Format != k.Format {
		return about, fmt.Errorf("an archive of version %d with runs of format %d; this program reads version %d with format %d, so use "+
			"the version that wrote it",
			about.Version, about.Format, ArchiveVersion, k.Format)
	}
	return about, k.check(about)
}

// check tells what is wrong with a manifest: every name is one that the store itself gives.
func (k Kind) check(m Manifest) error {
	runs := map[string]bool{}
	for _, one := range m.Runs {
		if !IsID(one.ID) || runs[one.ID] {
			return fmt.Errorf("its manifest: %q is no run's identity, or is there twice", one.ID)
		}
		runs[one.ID] = true
		files := map[string]bool{}
		for _, file := range one.Files {
			if !k.Belongs(file.Name) || files[file.Name] || file.Bytes < 0 {
				return fmt.Errorf("its manifest: run %s has a file %q of %d bytes, which is none of a run's, or is there twice", one.ID,
					file.Name, file.Bytes)
			}
			files[file.Name] = true
		}
		if slices.ContainsFunc(k.Needs, func(name string) bool { return !files[name] }) {
			return fmt.Errorf("its manifest: run %s lacks its settings or its result", one.ID)
		}
	}
	return nil
}

// Unpack takes the runs of an archive into the store: all of them are verified before the first is there, and each is there whole or not at
// all. A run that the store has already stays as it is. It tells which it took and which were there.
func (s *Store) Unpack(ctx context.Context, path string, k Kind, verify func(*Store, string) error) (taken, there []string, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	defer file.Close()
	if err := disk.MkdirAll(s.dir); err != nil {
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	beside, err := disk.NewPendingDir(s.dir, importPrefix)
	if err != nil {
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	defer beside.Discard()
	dir := beside.Path
	info, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	about, err := k.unpack(ctx, file, info.Size(), dir)
	for _, one := range about.Runs {
		if err == nil {
			err = verify(Open(dir), one.ID)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run: %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, disk.SyncDir(s.dir)) }()
	for _, one := range about.Runs {
		if ctx.Err() != nil {
			return taken, there, context.Cause(ctx)
		}
		place := s.Folder(one.ID)
		_, err := disk.Stat(place)
		if errors.Is(err, fs.ErrNotExist) {
			err = disk.Rename(filepath.Join(dir, one.ID), place)
			if err == nil {
				taken = append(taken, one.ID)
				continue
			}
		}
		if _, missing := disk.Stat(place); missing != nil {
			return taken, there, fmt.Errorf("run: taking run %s: %w", one.ID, err)
		}
		there = append(there, one.ID) // before, or made by another process just now
	}
	return taken, there, nil
}

// What an archive unpacks to is bounded by its own bytes, so that a small one fills no disk: weights hardly get smaller by gzip, and texts
// by ten times.
const (
	mostTimes  = 100
	mostBehind = 1 << 20 // bytes behind the last file
)

// unpack writes the files of an archive of so many bytes below a folder, each as the manifest says.
func (k Kind) unpack(ctx context.Context, from io.Reader, size int64, dir string) (Manifest, error) {
	packed, err := gzip.NewReader(from)
	if err != nil {
		return Manifest{}, errors.New("no archive of runs; vlpx store export makes one")
	}
	r := tar.NewReader(packed)
	about, err := k.readManifest(r)
	if err != nil {
		return about, err
	}
	left := float64(mostTimes) * float64(size)
	for _, one := range about.Runs {
		for _, file := range one.Files {
			left -= float64(file.Bytes)
		}
	}
	if left < 0 {
		return about, fmt.Errorf("its files are said to take more than %d times its own %d bytes; the archive is damaged or a bomb", mostTimes,
			size)
	}
	for _, one := range about.Runs {
		if err := disk.Mkdir(filepath.Join(dir, one.ID)); err != nil {
			return about, err
		}
		for _, file := range one.Files {
			if ctx.Err() != nil {
				return about, context.Cause(ctx)
			}
			name := one.ID + "/" + file.Name
			header, err := r.Next()
			if err != nil {
				return about, fmt.Errorf("%s: %w; the archive is cut off or damaged, get it again", name, err)
			}
			if header.Name != name || header.Typeflag != tar.TypeReg || header.Size != file.Bytes {
				return about, fmt.Errorf("%s of %d bytes is where its manifest has %s of %d", header.Name, header.Size, name, file.Bytes)
			}
			if err := unpackFile(r, filepath.Join(dir, one.ID, file.Name), file.SHA256); err != nil {
				return about, fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := disk.SyncDir(filepath.Join(dir, one.ID)); err != nil {
			return about, err
		}
	}
	if header, err := r.Next(); err == nil {
		return about, fmt.Errorf("%s is in it and not in its manifest", header.Name)
	} else if err != io.EOF {
		return about, fmt.Errorf("its end: %w; the archive is cut off or damaged, get it again", err)
	}
	behind, err := io.Copy(io.Discard, io.LimitReader(packed, mostBehind)) // to the checksum
	if err == nil && behind == mostBehind {
		return about, errors.New("more follows its end; the archive is damaged or a bomb")
	}
	if err != nil {
		return about, fmt.Errorf("its end: %w; the archive is cut off or damaged, get it again", err)
	}
	return about, nil
}

func unpackFile(from io.Reader, path, want string) error {
	file, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err = io.Copy(io.MultiWriter(file, sum), from); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%w; the archive is cut off or damaged, or there is no room", err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return errors.New("its content is not what the manifest says; the archive is damaged, get it again")
	}
	return nil
}
