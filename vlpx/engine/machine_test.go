package engine

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestDescribe(t *testing.T) {
	got := Describe()
	if got.System != runtime.GOOS+"/"+runtime.GOARCH || got.Cores < 1 || got.Go != runtime.Version() {
		t.Errorf("got %+v, want this program's system, cores and Go version", got)
	}
	if runtime.GOOS == "linux" && (got.MemoryAvailable == 0 || got.MemoryTotal <= got.MemoryAvailable) {
		t.Errorf("got %d of %d bytes available, want some of more", got.MemoryAvailable, got.MemoryTotal)
	}
}

// fakeSMI makes a shell script the only nvidia-smi that is found.
func fakeSMI(t *testing.T, script string) {
	t.Helper()
	t.Setenv("PATH", command(t, "nvidia-smi", script))
}

func TestGPUsReadsNvidiaSMI(t *testing.T) {
	fakeSMI(t, `echo "NVIDIA H200, 143771, 570.86.15"; echo "NVIDIA GB10, [N/A], 580.1"`)
	want := []GPU{{"NVIDIA H200", 143771 << 20, "570.86.15"}, {"NVIDIA GB10", 0, "580.1"}}
	if got := gpus(t.Context()); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	fakeSMI(t, "echo 'NVIDIA-SMI has failed because it could not communicate with the driver.'; exit 9")
	if got := gpus(t.Context()); got != nil {
		t.Errorf("with a broken driver got %+v, want none", got)
	}
	fakeSMI(t, "echo one, two")
	if got := gpus(t.Context()); got != nil {
		t.Errorf("from a line of two fields got %+v, want none", got)
	}
	t.Setenv("PATH", t.TempDir())
	if got := gpus(t.Context()); got != nil {
		t.Errorf("without nvidia-smi got %+v, want none", got)
	}
}

func TestVersionsNamesTheEngines(t *testing.T) {
	got := versionsIn([]*debug.Module{
		{Path: "github.com/gomlx/compute", Version: "v0.1.6"},
		{Path: "github.com/gomlx/gomlx", Version: "v0.28.8", Replace: &debug.Module{Path: "../gomlx"}},
		{Path: "github.com/gomlx/go-xla", Version: "v0.4.5", Replace: &debug.Module{Path: "example.org/xla", Version: "v0.5.0"}},
		{Path: "github.com/spf13/cobra", Version: "v1.10.2"},
	})
	want := map[string]string{"compute": "v0.1.6", "gomlx": "../gomlx", "go-xla": "example.org/xla v0.5.0"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGPUMemory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if got := GPUMemory(t.Context(), 7); got != 0 {
		t.Errorf("without nvidia-smi: got %d bytes", got)
	}
	smi := "#!/bin/sh\nprintf '7, 512\\n70, 9999\\n7, 256\\n8, [N/A]\\n'\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(smi), 0o755))
	for process, want := range map[int]uint64{7: 768 << 20, 8: 0, 9: 0} {
		if got := GPUMemory(t.Context(), process); got != want {
			t.Errorf("process %d: got %d bytes, want %d", process, got, want)
		}
	}
}

// A process's largest resident size has what it once took.
func TestPeakMemory(t *testing.T) {
	const much = 64 << 20
	large := make([]byte, much)
	for i := 0; i < len(large); i += 4096 {
		large[i] = 1
	}
	if got := PeakMemory(os.Getpid()); runtime.GOOS == "linux" && got < much {
		t.Errorf("got %d bytes, want at least %d", got, much)
	}
	runtime.KeepAlive(large)
	if got := PeakMemory(-1); got != 0 {
		t.Errorf("got %d bytes of no process, want 0", got)
	}
}
