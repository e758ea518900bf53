package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// place makes empty files below a new folder and returns the folder.
func place(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, nil, 0o644))
	}
	return dir
}

const (
	cpuPlugin  = "pjrt_c_api_cpu_v0.83.4_plugin.so"
	cudaPlugin = "pjrt_c_api_cuda_plugin.so"
	jaxPlugin  = "lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	ortLibrary = "onnxruntime/1.30.0/libonnxruntime.so.1"
)

func TestChooseTakesTheFastestEngineThatIsThere(t *testing.T) {
	everything := func(string) bool { return true }
	for _, c := range []struct {
		name    string
		files   []string
		linked  func(string) bool
		nvidia  bool
		wish    string
		want    string
		library string // below the folder of files
		missing []string
	}{
		{name: "nothing", linked: everything,
			want: "go:ops_sequential", missing: []string{"xla:cuda", "xla:cpu", "onnx:cpu"}},
		{name: "onnx", files: []string{ortLibrary}, linked: everything,
			want: "onnx:cpu", library: ortLibrary, missing: []string{"xla:cuda", "xla:cpu"}},
		{name: "xla before onnx", files: []string{ortLibrary, cpuPlugin}, linked: everything,
			want: "xla:cpu", library: cpuPlugin, missing: []string{"xla:cuda"}},
		{name: "cuda plugin without a GPU", files: []string{cudaPlugin}, linked: everything,
			want: "go:ops_sequential", missing: []string{"xla:cuda", "xla:cpu", "onnx:cpu"}},
		{name: "GPU without a plugin", files: []string{cpuPlugin}, linked: everything, nvidia: true,
			want: "xla:cpu", library: cpuPlugin, missing: []string{"xla:cuda", "onnx:cpu"}},
		{name: "cuda", files: []string{cudaPlugin, cpuPlugin, ortLibrary}, linked: everything, nvidia: true,
			want: "xla:cuda", library: cudaPlugin},
		{name: "JAX's plugin", files: []string{jaxPlugin}, linked: everything, nvidia: true,
			want: "xla:cuda", library: jaxPlugin, missing: []string{"xla:cpu", "onnx:cpu"}},
		{name: "noxla", files: []string{cudaPlugin, cpuPlugin, ortLibrary}, nvidia: true,
			linked: func(engine string) bool { return engine != "xla" },
			want:   "onnx:cpu", library: ortLibrary, missing: []string{"xla:cuda", "xla:cpu"}},
		{name: "pure Go", files: []string{cudaPlugin, cpuPlugin, ortLibrary}, nvidia: true,
			linked: func(string) bool { return false },
			want:   "go:ops_sequential", missing: []string{"xla:cuda", "xla:cpu", "onnx:cpu"}},
		{name: "wish against a faster one", files: []string{cpuPlugin, ortLibrary}, linked: everything, wish: "onnx:cpu",
			want: "onnx:cpu", library: ortLibrary, missing: []string{"xla:cuda"}},
		{name: "wish with options", files: []string{cpuPlugin}, linked: everything, wish: "xla:cpu,noshared_buffers",
			want: "xla:cpu,noshared_buffers", library: cpuPlugin, missing: []string{"xla:cuda", "onnx:cpu"}},
		{name: "wish without its library", linked: everything, wish: "onnx:cpu",
			want: "onnx:cpu", missing: []string{"xla:cuda", "xla:cpu", "onnx:cpu"}},
		{name: "wish for onnx on a GPU", files: []string{ortLibrary}, linked: everything, wish: "onnx:cuda",
			want: "onnx:cuda", missing: []string{"xla:cuda", "xla:cpu"}},
		{name: "unknown wish", linked: everything, wish: "tpu",
			want: "tpu", missing: []string{"xla:cuda", "xla:cpu", "onnx:cpu"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := place(t, c.files...)
			f := finder{
				linked:    c.linked,
				nvidia:    func() bool { return c.nvidia },
				plugins:   []string{dir},
				jax:       []string{filepath.Join(dir, "lib/python3*/*-packages/jax_plugins/xla_cuda*")},
				libraries: []string{filepath.Join(dir, ortLibrary)},
			}
			got, missing := f.choose(c.wish)
			library := c.library
			if library != "" {
				library = filepath.Join(dir, library)
			}
			if got.Name != c.want || got.Library != library || got.Reason == "" {
				t.Errorf("got %+v, want %s with library %q and a reason", got, c.want, library)
			}
			if wantSlower := strings.HasPrefix(c.want, "go"); (got.Slower != "") != wantSlower {
				t.Errorf("got Slower %q for %s", got.Slower, c.want)
			}
			var names []string
			for _, m := range missing {
				names = append(names, m.Name)
				if m.Why == "" || m.Get == "" {
					t.Errorf("missing %s: got why %q and get %q, want both", m.Name, m.Why, m.Get)
				}
			}
			if !slices.Equal(names, c.missing) {
				t.Errorf("got missing %v, want %v", names, c.missing)
			}
		})
	}
}

// isolate points every variable that Choose reads at empty folders.
func isolate(t *testing.T) (home string) {
	t.Helper()
	for _, name := range []string{"GOMLX_BACKEND", libraryEnv, "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv(pluginsEnv, t.TempDir())
	return t.TempDir()
}

func TestChooseReadsTheEnvironment(t *testing.T) {
	home := isolate(t)
	empty := newFinder(home)
	empty.pythons = nil // this machine's own
	if got, _ := empty.choose(""); got.Name != "go:ops_sequential" {
		t.Errorf("on an empty machine got %+v, want go:ops_sequential", got)
	}
	t.Setenv("GOMLX_BACKEND", " go:parallelism=32 ")
	got, _ := Choose(home)
	if got.Name != "go:parallelism=32" || !strings.Contains(got.Reason, "GOMLX_BACKEND") {
		t.Errorf("got %+v, want what $GOMLX_BACKEND says, and that as the reason", got)
	}
	if !strings.Contains(got.Slower, "hang") {
		t.Errorf("got %q, want a warning that this scheduler can hang", got.Slower)
	}
}

func TestFinderLooksForONNXRuntimeInOrder(t *testing.T) {
	linked := func(string) bool { return true }
	home := isolate(t)
	user := place(t, ".local/lib/onnxruntime/libonnxruntime.so")
	t.Setenv("HOME", user)
	look := func() (Choice, Missing) {
		f := newFinder(home)
		f.linked = linked
		return f.onnx()
	}
	if got, _ := look(); got.Library != filepath.Join(user, ".local/lib/onnxruntime/libonnxruntime.so") {
		t.Errorf("got %+v, want compute-onnx's own library", got)
	}
	home = place(t, ortLibrary)
	if got, _ := look(); got.Library != filepath.Join(home, ortLibrary) {
		t.Errorf("got %+v, want the store's library before compute-onnx's own", got)
	}
	named := place(t, "libonnxruntime.so")
	t.Setenv(libraryEnv, filepath.Join(named, "libonnxruntime.so"))
	if got, _ := look(); got.Library != filepath.Join(named, "libonnxruntime.so") {
		t.Errorf("got %+v, want the one that $%s names", got, libraryEnv)
	}
	t.Setenv(libraryEnv, filepath.Join(named, "gone.so"))
	got, missing := look()
	if got.Name != "" || !strings.Contains(missing.Why, "gone.so") {
		t.Errorf("got %+v and %+v, want none and the wrong path named", got, missing)
	}
}

// Python's onnxruntime serves where nothing else is there: the newest version, if it is new enough.
func TestFinderTakesPythonsONNXRuntime(t *testing.T) {
	home := isolate(t)
	packages := "lib/python3.12/site-packages/onnxruntime/capi/"
	for _, c := range []struct {
		files         []string
		want, version string
	}{
		{[]string{"libonnxruntime.so.1.19.2", "libonnxruntime_providers_shared.so"}, "libonnxruntime.so.1.19.2", "1.19.2"},
		{[]string{"libonnxruntime.so.1.20.0", "libonnxruntime.so.1.100.0"}, "libonnxruntime.so.1.100.0", "1.100.0"},
		{[]string{"libonnxruntime.1.23.2.dylib"}, "libonnxruntime.1.23.2.dylib", "1.23.2"},
		{[]string{"libonnxruntime.so.1.9.0", "libonnxruntime.so.1.18.1", "libonnxruntime.so.1"}, "", ""},
	} {
		var files []string
		for _, name := range c.files {
			files = append(files, packages+name)
		}
		venv := place(t, files...)
		t.Setenv("VIRTUAL_ENV", venv)
		f := newFinder(home)
		f.linked, f.pythons = func(string) bool { return true }, f.pythons[:1] // not this machine's own
		got, missing := f.onnx()
		if c.want == "" {
			if got.Name != "" || !strings.Contains(missing.Why, "1.19") || !strings.Contains(missing.Get, "pip install onnxruntime") {
				t.Errorf("%v: got %+v, %+v; want none, which version is needed, and how to get it", c.files, got, missing)
			}
			continue
		}
		if got.Library != filepath.Join(venv, packages, c.want) || !strings.Contains(got.Reason, c.version) {
			t.Errorf("%v: got %+v, want %s", c.files, got, c.want)
		}
	}
}

// A program that Go built without a C compiler, or for a system without the engine, says what to do.
func TestUnlinkedONNXSaysWhatToDo(t *testing.T) {
	for platform, want := range map[string]string{"linux/amd64": "apt-get install gcc", "darwin/arm64": "xcode-select --install",
		"darwin/amd64": "xcode-select", "windows/amd64": "WSL"} {
		if why, get := unlinkedONNX(platform); why == "" || !strings.Contains(get, want) {
			t.Errorf("%s: got %q, %q; want %q", platform, why, get, want)
		}
	}
}

func TestFinderReadsThePluginVariables(t *testing.T) {
	isolate(t)
	listed := newFinder("").plugins
	if len(listed) != 1 || listed[0] != os.Getenv(pluginsEnv) {
		t.Errorf("got %v, want only the folder in $%s", listed, pluginsEnv)
	}
	os.Unsetenv(pluginsEnv)
	venv := place(t, jaxPlugin)
	t.Setenv("VIRTUAL_ENV", venv)
	t.Setenv("LD_LIBRARY_PATH", "relative:/opt/plugins")
	f := newFinder("")
	if !slices.Contains(f.plugins, "/opt/plugins") || slices.Contains(f.plugins, "relative") {
		t.Errorf("got %v, want the absolute part of $LD_LIBRARY_PATH", f.plugins)
	}
	if got, want := firstFile(f.jax, "xla_cuda_plugin.so"), filepath.Join(venv, jaxPlugin); got != want {
		t.Errorf("got JAX's plugin %q, want %q", got, want)
	}
}

func TestFirstFilePrefersFoldersThenNewerNames(t *testing.T) {
	old, recent := place(t, "p_v1.so", "p_v2.so"), place(t, "p_v3.so")
	if got, want := firstFile([]string{old, recent}, "p_v*.so"), filepath.Join(old, "p_v2.so"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := firstFile([]string{filepath.Dir(old)}, filepath.Base(old)); got != "" {
		t.Errorf("got %s, want no folder taken for a file", got)
	}
}
