package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// tarball packs one file beside others, as npm does.
func tarball(t *testing.T, member string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	for _, file := range []struct {
		name string
		data []byte
	}{{"package/package.json", []byte("{}")}, {member, content}, {"package/README.md", []byte("read me")}} {
		must.Do(t, files.WriteHeader(&tar.Header{Name: file.name, Mode: 0o644, Size: int64(len(file.data))}))
		must.Get(files.Write(file.data))(t)
	}
	must.Do(t, errors.Join(files.Close(), zipped.Close()))
	return out.Bytes()
}

// command returns a new folder that holds nothing but a shell script of the given name.
func command(t *testing.T, name, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755))
	return dir
}

// fakeNPM makes the shell script the npm that is found first.
func fakeNPM(t *testing.T, script string) {
	t.Helper()
	t.Setenv("PATH", command(t, "npm", script)+string(os.PathListSeparator)+"/usr/bin:/bin")
}

// tiny is a release for this platform whose archive a fake npm serves, counting its calls in the returned file.
func tiny(t *testing.T) (r release, content []byte, calls string) {
	t.Helper()
	content = []byte("a small library")
	archive := tarball(t, "package/lib/here.so", content)
	dir := t.TempDir()
	served := filepath.Join(dir, "served.tgz")
	must.Do(t, os.WriteFile(served, archive, 0o644))
	calls = filepath.Join(dir, "calls")
	fakeNPM(t, `echo "$1 $2" >>"`+calls+`" && cp "`+served+`" tiny-1.2.3.tgz`)
	return release{
		name: "tiny", version: "1.2.3", sha256: sum(archive), size: "1 kB",
		libraries: map[string]library{runtime.GOOS + "/" + runtime.GOARCH: {"package/lib/here.so", sum(content)}},
	}, content, calls
}

// onlyLibrary fails unless home holds nothing, or nothing but the whole library.
func onlyLibrary(t *testing.T, home string, r release, want []byte) {
	t.Helper()
	var files []string
	filepath.WalkDir(home, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			t.Error(err)
		} else if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			files = append(files, path)
		}
		return nil
	})
	if want == nil {
		if len(files) != 0 {
			t.Errorf("got %v left behind, want nothing", files)
		}
		return
	}
	if len(files) != 1 || files[0] != r.path(home) {
		t.Errorf("got %v, want only %s", files, r.path(home))
	}
	if got, err := os.ReadFile(r.path(home)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestInstallPutsTheLibraryInPlaceOnce(t *testing.T) {
	r, content, calls := tiny(t)
	home := filepath.Join(t.TempDir(), "new", "store")
	var progress bytes.Buffer
	for range 2 {
		got, err := r.install(t.Context(), home, &progress)
		if err != nil || got != r.path(home) {
			t.Fatalf("got %q, %v; want %s", got, err, r.path(home))
		}
		onlyLibrary(t, home, r, content)
	}
	if got, err := os.ReadFile(calls); err != nil || string(got) != "pack tiny@1.2.3\n" {
		t.Errorf("npm was called with %q, %v; want one pack", got, err)
	}
	for _, want := range []string{"npm pack tiny@1.2.3", "already at"} {
		if !strings.Contains(progress.String(), want) {
			t.Errorf("progress says %q, want %q in it", progress.String(), want)
		}
	}
}

func TestInstallReplacesADamagedLibrary(t *testing.T) {
	r, content, _ := tiny(t)
	home := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Dir(r.path(home)), 0o755))
	must.Do(t, os.WriteFile(r.path(home), content[:4], 0o644))
	must.Get(r.install(t.Context(), home, io.Discard))(t)
	onlyLibrary(t, home, r, content)
}

func TestInstallRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*release)
		want   string
	}{
		{"another archive", func(r *release) { r.sha256 = strings.Repeat("0", 64) }, "registry served something else"},
		{"another library", func(r *release) { r.libraries[platform()] = library{"package/README.md", strings.Repeat("0", 64)} },
			"package/README.md has SHA-256"},
		{"no library", func(r *release) { r.libraries[platform()] = library{"package/gone.so", ""} }, "no package/gone.so inside"},
		{"another file name", func(r *release) { r.version = "1.2.4" }, "left no tiny-1.2.4.tgz"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _, _ := tiny(t)
			c.change(&r)
			home := t.TempDir()
			must.Fail(t, must.Err(r.install(t.Context(), home, io.Discard)), c.want)
			onlyLibrary(t, home, r, nil)
		})
	}
}

func TestInstallSaysWhatToDoWithoutNPM(t *testing.T) {
	if !linked("onnx") {
		_, err := Install(t.Context(), t.TempDir(), nil)
		must.Fail(t, err, "nothing was fetched: ")
		return
	}
	t.Setenv("PATH", t.TempDir())
	_, err := Install(t.Context(), t.TempDir(), nil)
	for _, want := range []string{"install Node.js with npm", "$" + libraryEnv} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without npm: got %v, want %q in it", err, want)
		}
	}
	fakeNPM(t, "echo 'npm error code ENOTFOUND' >&2; exit 1")
	_, err = Install(t.Context(), t.TempDir(), nil)
	for _, want := range []string{"npm error code ENOTFOUND", "npm ping", "$" + libraryEnv} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without network: got %v, want %q in it", err, want)
		}
	}
}

func TestInstallStopsWhenCancelled(t *testing.T) {
	r, _, _ := tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	fakeNPM(t, "exec sleep 600")
	home := t.TempDir()
	cancelOnPack := writerFunc(func(line []byte) (int, error) {
		cancel()
		return len(line), nil
	})
	if _, err := r.install(ctx, home, cancelOnPack); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	onlyLibrary(t, home, r, nil)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestPinnedChecksumsAreWhole(t *testing.T) {
	for _, r := range releases() {
		pinned := map[string]string{r.version: r.sha256}
		for platform, library := range r.libraries {
			pinned[platform] = library.sha256
		}
		for name, sum := range pinned {
			if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
				t.Errorf("%s: got %q, want 64 hexadecimal digits", name, sum)
			}
		}
	}
}

func TestEveryPlatformHasOneRelease(t *testing.T) {
	for platform, want := range map[string]string{"linux/amd64": "1.30.0", "linux/arm64": "1.30.0", "darwin/arm64": "1.30.0",
		"darwin/amd64": "1.23.2", "windows/amd64": ""} {
		if got, served := onnxRuntime(platform); got.version != want || served != (want != "") {
			t.Errorf("%s: got %q, want %q", platform, got.version, want)
		}
	}
}
