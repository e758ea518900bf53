package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
)

// installLimit bounds the whole installation, so that a network that swallows packets ends in an error.
const installLimit = 15 * time.Minute

// library is one file of a release: where it lies in the archive, and its SHA-256 in hexadecimal.
type library struct{ member, sha256 string }

// release is an npm package that ships ONNX Runtime.
type release struct {
	name, version string
	sha256        string             // of the archive, in hexadecimal
	size          string             // of the archive, for a person
	libraries     map[string]library // by GOOS/GOARCH
}

// releases are those of ONNX Runtime (MIT licence) that Install knows: the one that compute-onnx v0.1.5 passes its tests with, and for
// Macs with Intel's processors the last one that serves them. Those for macOS were never run here.
func releases() []release {
	return []release{{
		name:    "onnxruntime-node",
		version: "1.30.0",
		sha256:  "6e3390d6b783e7be946fad629292799da28d0b42f84856e50d2c1b0383291e75",
		size:    "113 MB",
		libraries: map[string]library{
			"linux/amd64": {"package/bin/napi-v6/linux/x64/libonnxruntime.so.1",
				"ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23"},
			"linux/arm64": {"package/bin/napi-v6/linux/arm64/libonnxruntime.so.1",
				"1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76"},
			"darwin/arm64": {"package/bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib",
				"685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d"},
		},
	}, {
		name:    "onnxruntime-node",
		version: "1.23.2",
		sha256:  "fe70e8de46560c57c2dfb7170770da32dbb21684504a5c904346c44a56e154f2",
		size:    "97 MB",
		libraries: map[string]library{
			"darwin/amd64": {"package/bin/napi-v6/darwin/x64/libonnxruntime.1.23.2.dylib",
				"0576e3f8dd16833c291fddd037444672ae20cdc6797db00928cc7527541c5a4a"},
		},
	}}
}

// onnxRuntime is the release for a platform, and whether there is one.
func onnxRuntime(platform string) (release, bool) {
	for _, r := range releases() {
		if _, serves := r.libraries[platform]; serves {
			return r, true
		}
	}
	return release{}, false
}

// platform is this program's, as libraries of a release are named after it.
func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// Install fetches the ONNX Runtime library with npm into home (the store's place), where Choose finds it, and returns its
// path. It tells progress (which may be nil) what it is doing.
//
// npm asks whatever registry its user has configured. Archive and library must have the pinned checksums. The library
// appears whole or not at all; one that is already there and whole is kept, a damaged one is replaced. Without npm,
// without network, on a platform that no package serves or in a program that could not load the library, the error says
// what to do instead; it comes within 15 minutes at worst, and at once when ctx is cancelled.
func Install(ctx context.Context, home string, progress io.Writer) (string, error) {
	if progress == nil {
		progress = io.Discard
	}
	if !linked("onnx") {
		why, get := unlinkedONNX(platform())
		return "", fmt.Errorf("engine: nothing was fetched: %s; %s", why, get)
	}
	r, served := onnxRuntime(platform())
	if !served {
		return "", fmt.Errorf("engine: install ONNX Runtime: no release serves %s", platform())
	}
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	path, err := r.install(ctx, home, progress)
	if err != nil {
		return "", fmt.Errorf("engine: install ONNX Runtime: %w; or pip install onnxruntime, whose library is found; or get %s "+
			"yourself and set $%s to its path", err, filepath.Base(r.path("")), libraryEnv)
	}
	return path, nil
}

// path is where the library for this platform lies under the store's place, by the name it has in the archive.
func (r release) path(home string) string {
	return filepath.Join(home, "onnxruntime", r.version, path.Base(r.libraries[platform()].member))
}

// staged begins the names of folders in which a library is staged.
const staged = ".install-"

func (r release) install(ctx context.Context, home string, progress io.Writer) (string, error) {
	wanted := r.libraries[platform()]
	path := r.path(home)
	beside := filepath.Dir(filepath.Dir(path)) // where it is staged
	if err := disk.RemoveLeftDirs(beside, staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if sum, err := sha256File(path); err == nil && sum == wanted.sha256 {
		fmt.Fprintf(progress, "ONNX Runtime %s is already at %s\n", r.version, path)
		return path, nil
	}
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return "", err
	}
	staging, err := disk.NewPendingDir(beside, staged)
	if err != nil {
		return "", err
	}
	defer staging.Discard()

	fmt.Fprintf(progress, "npm pack %s@%s (%s; may take some minutes)\n", r.name, r.version, r.size)
	archive, err := r.pack(ctx, staging.Path)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "checking and unpacking %s\n", filepath.Base(archive))
	if sum, err := sha256File(archive); err != nil {
		return "", err
	} else if sum != r.sha256 {
		return "", fmt.Errorf("%s has SHA-256 %s, want %s: the registry served something else, so nothing was installed",
			filepath.Base(archive), sum, r.sha256)
	}
	library := filepath.Join(staging.Path, filepath.Base(path))
	if err := unpack(archive, wanted, library); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	if err := disk.Rename(library, path); err != nil {
		return "", err
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "ONNX Runtime %s is at %s\n", r.version, path)
	return path, nil
}

// pack lets npm download the archive into dir and returns its path.
func (r release) pack(ctx context.Context, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("npm is not installed (%w); install Node.js with npm, such as apt-get install npm, and try again", err)
	}
	// One retry: npm's own default spends over a minute on a machine without network.
	command := exec.CommandContext(ctx, npm, "pack", r.name+"@"+r.version, "--ignore-scripts", "--no-update-notifier",
		"--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
	command.Dir = dir
	var complaint bytes.Buffer
	command.Stderr = &complaint
	command.WaitDelay = 2 * time.Second
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("npm pack was stopped: %w", context.Cause(ctx))
		}
		return "", fmt.Errorf("npm pack %s@%s: %w: %s; check that npm reaches its registry (npm ping) and try again",
			r.name, r.version, err, firstLines(complaint.String(), 4))
	}
	archive := filepath.Join(dir, fmt.Sprintf("%s-%s.tgz", r.name, r.version))
	if !isFile(archive) {
		return "", fmt.Errorf("npm pack ended well but left no %s", filepath.Base(archive))
	}
	return archive, nil
}

// unpack copies one library out of the archive to path, synced to disk and checked.
func unpack(archive string, wanted library, path string) error {
	packed, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer packed.Close()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("no %s inside", wanted.member)
		}
		if err != nil {
			return err
		}
		if header.Name == wanted.member {
			break
		}
	}
	file, err := disk.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, sum), files); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != wanted.sha256 {
		return fmt.Errorf("%s has SHA-256 %s, want %s", wanted.member, got, wanted.sha256)
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return file.Close()
}

// sha256File returns the checksum of a file in hexadecimal.
func sha256File(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// firstLines keeps an error message short: npm follows its first lines with a stack trace.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(n, len(lines))], "; ")
}
