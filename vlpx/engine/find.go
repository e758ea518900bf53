package engine

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
)

const (
	libraryEnv = "ONNXRUNTIME_SHARED_LIBRARY_PATH"
	pluginsEnv = "PJRT_PLUGIN_LIBRARY_PATH"
)

// finder knows where the shared libraries of the engines may lie on one machine.
type finder struct {
	linked       func(engine string) bool // whether this build holds the engine "xla" or "onnx"
	nvidia       func() bool              // whether the machine has an NVIDIA GPU
	plugins      []string                 // folders of PJRT plugins, in order of preference
	jax          []string                 // patterns of JAX's folders with a CUDA plugin
	namedLibrary string                   // $ONNXRUNTIME_SHARED_LIBRARY_PATH
	libraries    []string                 // places of ONNX Runtime when that is unset
	pythons      []string                 // patterns of Python's folders of packages, which may have another
}

func newFinder(home string) finder {
	f := finder{
		linked:       linked,
		nvidia:       hasNVIDIA,
		namedLibrary: os.Getenv(libraryEnv),
	}
	if r, served := onnxRuntime(platform()); served {
		f.libraries = append(f.libraries, r.path(home))
	}
	user, err := os.UserHomeDir()
	if err == nil {
		f.libraries = append(f.libraries, filepath.Join(user, ownLibrary))
	}
	for _, prefix := range []string{os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX"), filepath.Join(user, ".local"),
		"/usr/local", "/usr"} {
		if filepath.IsAbs(prefix) {
			f.pythons = append(f.pythons, filepath.Join(prefix, "lib/python3*/*-packages"))
		}
	}
	f.pythons = append(f.pythons, systemPythons(user)...)
	for _, packages := range f.pythons {
		f.jax = append(f.jax, filepath.Join(packages, "jax_plugins/xla_cuda*"))
	}
	if named, set := os.LookupEnv(pluginsEnv); set {
		f.plugins = slices.DeleteFunc(filepath.SplitList(named), func(dir string) bool { return dir == "" })
		return f
	}
	if err == nil {
		f.plugins = append(f.plugins, filepath.Join(user, ownPlugins), filepath.Join(user, ownPlugins, "nvidia"))
	}
	f.plugins = append(f.plugins, "/usr/local/lib/go-xla", "/usr/local/lib/go-xla/nvidia")
	for _, dir := range filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) {
		if filepath.IsAbs(dir) {
			f.plugins = append(f.plugins, dir)
		}
	}
	return f
}

// linked reports whether this build holds an engine.
func linked(engine string) bool { return slices.Contains(compute.List(), engine) }

// unlinkedONNX says why a program for a platform holds no ONNX Runtime, and what to do. Go builds without cgo where it finds no C compiler.
func unlinkedONNX(platform string) (why, get string) {
	if _, served := onnxRuntime(platform); !served {
		return "ONNX Runtime is linked on Linux and macOS, for amd64 and arm64, and this is " + platform,
			"on Windows use WSL, where vlpx is a program for Linux"
	}
	return "this program was built without a C compiler, so it cannot load ONNX Runtime",
		"install one (Debian: apt-get install gcc libc6-dev; Fedora: dnf install gcc; macOS: xcode-select --install), leave CGO_ENABLED " +
			"unset, and build vlpx again (go run does)"
}

// cuda looks for an NVIDIA GPU and a CUDA plugin.
func (f finder) cuda() (Choice, Missing) {
	lacking := Missing{Name: cudaEngine}
	if !f.linked("xla") {
		lacking.Why, lacking.Get = "this program was built without XLA", "build with a C compiler and without the tag noxla"
		return Choice{}, lacking
	}
	if !f.nvidia() {
		lacking.Why, lacking.Get = "no NVIDIA GPU is visible", "run on a machine with one, or give the container access to it"
		return Choice{}, lacking
	}
	plugin := firstFile(f.plugins, "pjrt_c_api_cuda*_plugin.so", "pjrt[-_]plugin[-_]cuda*.so", "xla_cuda_plugin.so")
	if plugin == "" {
		plugin = firstFile(f.jax, "xla_cuda_plugin.so")
	}
	if plugin == "" {
		lacking.Why = "there is an NVIDIA GPU, but no CUDA PJRT plugin is installed"
		lacking.Get = fmt.Sprintf(`pip install "jax[cuda13]", or put the folder with xla_cuda_plugin.so into $%s`, pluginsEnv)
		return Choice{}, lacking
	}
	return Choice{Name: cudaEngine, Reason: "an NVIDIA GPU and a CUDA PJRT plugin are there", Library: plugin}, Missing{}
}

// xla looks for the processor's plugin.
func (f finder) xla() (Choice, Missing) {
	lacking := Missing{Name: xlaEngine}
	if !f.linked("xla") {
		lacking.Why, lacking.Get = "this program was built without XLA", "build with a C compiler and without the tag noxla"
		return Choice{}, lacking
	}
	plugin := firstFile(f.plugins, "pjrt_c_api_cpu*_plugin.so", "pjrt[-_]plugin[-_]cpu*.so", "pjrt_c_api_cpu*_plugin.dylib")
	if plugin == "" {
		lacking.Why = "no PJRT plugin for the processor is installed"
		lacking.Get = fmt.Sprintf("put pjrt_c_api_cpu_plugin.so (released as gomlx/pjrt-cpu-binaries) into ~/%s, or its "+
			"folder into $%s", ownPlugins, pluginsEnv)
		return Choice{}, lacking
	}
	return Choice{Name: xlaEngine, Reason: "a PJRT plugin for the processor is installed", Library: plugin}, Missing{}
}

// onnx looks for the ONNX Runtime library.
func (f finder) onnx() (Choice, Missing) {
	lacking := Missing{Name: onnxEngine, Get: fmt.Sprintf("vlpx doctor -fix fetches it with npm; or pip install onnxruntime; or set "+
		"$%s to the library", libraryEnv)}
	if !f.linked("onnx") {
		lacking.Why, lacking.Get = unlinkedONNX(platform())
		return Choice{}, lacking
	}
	if f.namedLibrary != "" {
		if !isFile(f.namedLibrary) {
			lacking.Why = fmt.Sprintf("$%s names %s, which is no file", libraryEnv, f.namedLibrary)
			lacking.Get = fmt.Sprintf("correct $%s, or unset it and run vlpx doctor -fix", libraryEnv)
			return Choice{}, lacking
		}
		path, err := filepath.Abs(f.namedLibrary)
		if err != nil {
			path = f.namedLibrary
		}
		return Choice{Name: onnxEngine, Reason: fmt.Sprintf("$%s names an ONNX Runtime", libraryEnv), Library: path}, Missing{}
	}
	if i := slices.IndexFunc(f.libraries, isFile); i >= 0 {
		return Choice{Name: onnxEngine, Reason: "ONNX Runtime is installed, and no GPU engine or XLA plugin", Library: f.libraries[i]},
			Missing{}
	}
	if library, version := f.pythonLibrary(); library != "" {
		return Choice{Name: onnxEngine, Reason: fmt.Sprintf("Python's package onnxruntime has ONNX Runtime %s, and there is no GPU engine "+
			"or XLA plugin", version), Library: library}, Missing{}
	}
	lacking.Why = "no ONNX Runtime library in " + strings.Join(f.libraries, " or ") + ", and none of Python's onnxruntime 1.19 or later"
	return Choice{}, lacking
}

// oldestPython is the oldest minor version of ONNX Runtime 1 that is taken from Python's package.
const oldestPython = 19

// pythonLibrary is the library of Python's package onnxruntime and its version: the newest one of the first folder of packages that has it
// new enough, or "". Its file is called libonnxruntime.so.1.23.2, or libonnxruntime.1.23.2.dylib.
func (f finder) pythonLibrary() (library, version string) {
	for _, packages := range f.pythons {
		matches, _ := filepath.Glob(filepath.Join(packages, "onnxruntime/capi/libonnxruntime.*"))
		newest := oldestPython
		for _, match := range matches {
			called := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(filepath.Base(match), "libonnxruntime."), "so."), ".dylib")
			minor := -1
			if _, err := fmt.Sscanf(called, "1.%d.", &minor); err == nil && minor >= newest && isFile(match) {
				library, version, newest = match, called, minor
			}
		}
		if library != "" {
			return library, version
		}
	}
	return "", ""
}

// firstFile returns the first regular file that matches one of the names in one of the folders (both are patterns), as an
// absolute path, or "". Within one pattern the last in alphabetical order, the newest version, wins.
func firstFile(folders []string, names ...string) string {
	for _, folder := range folders {
		for _, name := range names {
			matches, _ := filepath.Glob(filepath.Join(folder, name))
			for _, match := range slices.Backward(matches) {
				if path, err := filepath.Abs(match); err == nil && isFile(path) {
					return path
				}
			}
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeType == 0
}

// hasNVIDIA reports whether a device file or nvidia-smi shows a GPU.
func hasNVIDIA() bool {
	if devices, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(devices) > 0 {
		return true
	}
	return len(gpus(context.Background())) > 0
}

// Cache is where Install puts the library for all stores of a user: vlpx in the user's cache folder, or in the system's
// folder for temporary files where the user has none.
func Cache() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "vlpx")
}
