package kernels_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/run"
	training "vlpx.internal/vlpx/train"
)

// TestHostile executes notebooks where something goes wrong, on a store that others use, fill or cannot reach.
func TestHostile(t *testing.T) {
	nbconvert, err := kernels.Nbconvert()
	if err != nil {
		kerneltest.Skip(t, "notebook", err.Error())
	}
	kerneltest.Fast(t, "onnx")
	prefix := kerneltest.Prefix(t)
	t.Run("mistakes", func(t *testing.T) { mistakes(t, prefix) })
	t.Run("a path with every kind of letter", func(t *testing.T) { strangePath(t, prefix) })
	t.Run("two kernels on one store", func(t *testing.T) { twoKernels(t, prefix) })
	t.Run("a full disk", func(t *testing.T) { fullDisk(t, prefix) })
	t.Run("stopped three ways", func(t *testing.T) { stopped(t, prefix, nbconvert) })
}

// importing is the first cell of each.
const importing = `import "vlpx.internal/vlpx"`

// A mistake in a name is told in a few lines, with no stack. A part of one's own that panics, or whose graph cannot be built, is told with
// its line in the cell.
func mistakes(t *testing.T, prefix string) {
	t.Setenv("VLPX_HOME", t.TempDir())
	part := func(body string) string {
		return fmt.Sprintf(`import (
	. "github.com/gomlx/gomlx/core/graph"
	"vlpx.internal/vlpx/negative"
)

type Mine struct{}

func (Mine) ITC(in negative.Features) negative.Contrasted {
	defer func() { var _ *Node }()
	%s
}

%%%%
vlpx.Run("mine", vlpx.Options{Scale: "tiny", Seeds: []uint64{1}, Own: []negative.Method{{Name: "mine", Contrast: Mine{}}}})`, body)
	}
	const whose = "Mine.ITC"
	all := []struct {
		code  string
		lines int // that are told, at most
		says  []string
	}{
		{`%%
vlpx.Reproduce("falcon/tabel1")`, 3, []string{`reproduce: no artifact "falcon/tabel1"; did you mean "falcon/table1"?`}},
		{`%%
vlpx.Reproduse("falcon/table1")`, 3, []string{"In [3], line 2: undefined: vlpx.Reproduse"}},
		{`%%
vlpx.Reproduce("falcon/table1", vlpx.Options{Scal: "tiny"})`, 3, []string{"unknown field Scal in struct literal of type vlpx.Options"}},
		{"import \"github.com/nobody/nothing\"\n\n%%\nnothing.Do()", 3,
			[]string{"no module here has the package github.com/nobody/nothing; if the network has it, set %env GOPROXY="}},
		{part("return negative.Contrasted{Loss: Add(in.Image, Transpose(in.Text, 0, 1))}"), 5, []string{whose, "cannot be broadcast"}},
		{part("var none []int; return negative.Contrasted{Loss: ConstAs(in.Image, none[3])}"), 5, []string{whose, "index out of range"}},
	}
	cells := []kernels.Cell{kernels.Go(importing)}
	for _, mistake := range all {
		cells = append(cells, kernels.Go(mistake.code))
	}
	_, err := kerneltest.Execute(t, prefix, cells...)
	if err == nil {
		t.Fatal("no error")
	}
	for i, mistake := range all {
		_, told, _ := strings.Cut(err.Error(), fmt.Sprintf("In [%d]: ", i+2))
		told, _, _ = strings.Cut(told, fmt.Sprintf("\ncell In [%d]: ", i+3))
		for _, want := range mistake.says {
			if !strings.Contains(told, want) || strings.Contains(told, "goroutine ") || strings.Count(told, "\n")+1 > mistake.lines {
				t.Errorf("%s: error %q, want %d lines at most that say %q", mistake.code, told, mistake.lines, want)
			}
		}
	}
}

// A notebook outside of the checkout sees its own folder, and its store and its copy may lie under any name.
func strangePath(t *testing.T, prefix string) {
	dir := filepath.Join(t.TempDir(), `Straße "one" it's [a] 100% 数据`)
	must.Do(t, os.Mkdir(dir, 0o755))
	t.Setenv("VLPX_HOME", filepath.Join(dir, "Läufe 存储"))
	notebook, page := filepath.Join(dir, "mein Büro's 笔记本.ipynb"), filepath.Join(dir, `Seite "ö" 页.html`)
	encoded := must.Get(kernels.Notebook{Cells: []kernels.Cell{kernels.Go(importing), kernels.Go(`%%
vlpx.Save(vlpx.Run("InfoNCE", vlpx.Options{Scale: "tiny", Seeds: []uint64{1}}), "Übersicht 表.md")`)}}.Encode())(t)
	must.Do(t, os.WriteFile(notebook, encoded, 0o644))
	must.Do(t, kernels.Execute(t.Context(), prefix, notebook, page))
	for path, want := range map[string]string{page: "<caption", filepath.Join(dir, "Übersicht 表.md"): "InfoNCE"} {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d bytes (%v), want %q in them", path, len(text), err, want)
		}
	}
}

// Two notebooks that ask for the same runs at once make each of them once, show the same, and the one that waits says so.
func twoKernels(t *testing.T, prefix string) {
	home, meeting := t.TempDir(), t.TempDir()
	t.Setenv("VLPX_HOME", home)
	// Each cell goes on when the other has come as far.
	meet := func(me, other string) kernels.Cell {
		return kernels.Go(fmt.Sprintf(`%%%%
os.WriteFile(%q, nil, 0o644)
for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5*time.Millisecond) {
	if _, err := os.Stat(%q); err == nil {
		break
	}
}
vlpx.Compare([]string{"InfoNCE", "GRIT-VLP"}, vlpx.Options{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"epochs=6"}})`,
			filepath.Join(meeting, me), filepath.Join(meeting, other)))
	}
	var pages [2]string
	var waiting sync.WaitGroup
	for i, names := range [2][2]string{{"a", "b"}, {"b", "a"}} {
		waiting.Go(func() {
			cells, err := kerneltest.Execute(t, prefix, kernels.Go(importing), meet(names[0], names[1]))
			if err != nil {
				t.Error(err)
				return
			}
			pages[i] = cells[1].HTML()
		})
	}
	waiting.Wait()
	if tables := [2]string{table(pages[0]), table(pages[1])}; tables[0] != tables[1] || !strings.Contains(tables[0], "GRIT-VLP") {
		t.Errorf("tables %q and %q, want the same", tables[0], tables[1])
	}
	if !strings.Contains(pages[0]+pages[1], "another process is at InfoNCE, seed 1; waiting for it") {
		t.Errorf("neither says that it waits for the other: %q and %q", pages[0], pages[1])
	}
	results, err := filepath.Glob(filepath.Join(home, "runs", "*", "result.json"))
	if err != nil || len(results) != 2 {
		t.Fatalf("finished runs %v (%v), want two", results, err)
	}
	for _, result := range results {
		points := points(t, filepath.Dir(result))
		for k := 1; k < len(points); k++ {
			if a, b := points[k-1], points[k]; a.Epoch > b.Epoch || a.Epoch == b.Epoch && a.Step >= b.Step {
				t.Errorf("%s: epoch %d, step %d stands after epoch %d, step %d", result, b.Epoch, b.Step, a.Epoch, a.Step)
			}
		}
	}
}

// table is the first table of a page.
func table(page string) string {
	_, rest, _ := strings.Cut(page, "<table")
	inside, _, _ := strings.Cut(rest, "</table>")
	return inside
}

// points are what the curves of a run hold so far.
func points(t *testing.T, dir string) []training.Point {
	t.Helper()
	curves := must.Get(training.ReadCurves(dir))(t)
	return curves.Points
}

// A disk that fills up is told with the file and what to do; nothing is damaged: the cell works once there is room.
func fullDisk(t *testing.T, prefix string) {
	home := t.TempDir()
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", home).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a tmpfs: %v: %s", err, text)
	}
	t.Cleanup(func() { exec.Command("umount", home).Run() })
	t.Setenv("VLPX_HOME", home)
	asked := kernels.Go(`%%
vlpx.Run("InfoNCE", vlpx.Options{Scale: "tiny", Seeds: []uint64{1}})`)
	makeRoom := kernels.Go(`%%
fmt.Println(exec.Command("mount", "-o", "remount,size=50m", os.Getenv("VLPX_HOME")).Run())`)
	cells, err := kerneltest.Execute(t, prefix, kernels.Go(importing), asked, makeRoom, asked)
	if err == nil || strings.Contains(err.Error(), "In [4]") {
		t.Fatalf("error %v, want one of the second cell alone", err)
	}
	for _, want := range []string{"In [2]: exit status 1", filepath.Join(home, "runs"), "no space left on device", "make room"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q in it", err, want)
		}
	}
	if page := cells[3].HTML(); !strings.Contains(page, "<table") {
		t.Errorf("page %q, want a table", page)
	}
}

// A run whose cell is interrupted, whose kernel is restarted, and whose kernel is killed goes on each time from where it was, to
// the numbers of one that was not. What was stopped is gone, and says so where it can.
func stopped(t *testing.T, prefix, nbconvert string) {
	const asked = `%%
vlpx.Run("GRIT-VLP", vlpx.Options{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"epochs=24"}})`
	grid := must.Get(lab.OpenComparison([]string{"GRIT-VLP"},
		lab.Options{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"epochs=24"}, Home: t.TempDir()}))(t)
	must.Do(t, grid.Make(t.Context(), nil))
	r, home := grid.Plan.Runs()[0], t.TempDir()
	store := run.OpenStore(home)
	k := startKernel(t, prefix, nbconvert, home)
	k.do("cell", importing)
	var kept []training.Point
	for _, way := range []string{"interrupt", "restart", "kill"} {
		k.do("begin", asked)
		atLeast := len(kept) + 4
		wait(t, "the curves to grow", func() bool { return len(points(t, store.Dir(r))) >= atLeast })
		answer := k.do(way, "")
		const says = "stopped: 0 of 1 runs are kept, and a checkpoint of GRIT-VLP, seed 1; the same call goes on from there\nexit " +
			"status 1\n"
		if way != "interrupt" {
			k.do("cell", importing)
		} else if answer.Status != "error" || !strings.HasSuffix(answer.Stderr, says) || strings.Contains(answer.Stderr, "goroutine ") {
			t.Errorf("%s: %s with standard error %q, want an error and %q at the end", way, answer.Status, answer.Stderr, says)
		}
		wait(t, way+" to end the cell", func() bool { return len(cellsWith(home)) == 0 })
		lock := flock.New(filepath.Join(store.Dir(r), "lock"))
		if free, err := lock.TryLock(); err != nil || !free {
			t.Errorf("%s: the run's lock is held (%v)", way, err)
		}
		lock.Unlock()
		if kept = points(t, store.Dir(r)); len(kept) < atLeast || !store.Started(r) {
			t.Errorf("%s: %d points and a checkpoint %v, want at least %d and one", way, len(kept), store.Started(r), atLeast)
		}
	}
	answer := k.do("cell", asked)
	got, err := store.Result(r)
	if answer.Status != "ok" || err != nil {
		t.Fatalf("%s (%v) with standard error %q", answer.Status, err, answer.Stderr)
	}
	want := must.Get(grid.Store.Result(r))(t)
	if !reflect.DeepEqual(got.Metrics, want.Metrics) || !reflect.DeepEqual(got.Epochs, want.Epochs) {
		t.Errorf("metrics %v, want those of a run that nothing stopped, %v", got.Metrics, want.Metrics)
	}
	if got, want := points(t, store.Dir(r)), points(t, grid.Store.Dir(r)); !reflect.DeepEqual(got, want) {
		t.Errorf("%d points in the curves, want the %d of a run that nothing stopped", len(got), len(want))
	}
	shown := regexp.MustCompile(`step (\d+) of (\d+)`).FindStringSubmatch(answer.Shown)
	if shown == nil {
		t.Fatalf("%q shows no step", answer.Shown)
	}
	first, _ := strconv.Atoi(shown[1])
	steps, _ := strconv.Atoi(shown[2])
	if last := kept[len(kept)-1].Epoch * steps / 24; first <= last {
		t.Errorf("it went on at step %d at the latest, want one after the checkpoint at step %d", first, last)
	}
}

// jupyter is a client of one kernel. It takes lines of JSON and answers each with one.
const jupyter = `
import json, sys
from jupyter_client.manager import KernelManager

manager = KernelManager(kernel_name="vlpx")
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=60)

def finish():
    answer = {"Status": "", "Stderr": "", "Shown": ""}
    while True:
        message = client.get_iopub_msg(timeout=60)
        content = message["content"]
        if message["parent_header"].get("msg_id") != begun:
            continue
        if message["msg_type"] == "stream" and content["name"] == "stderr":
            answer["Stderr"] += content["text"]
        if "data" in content:
            answer["Shown"] += content["data"].get("text/html", "")
        if content.get("execution_state") == "idle":
            break
    while True:
        message = client.get_shell_msg(timeout=60)
        if message["parent_header"].get("msg_id") == begun:
            answer["Status"] = message["content"]["status"]
            return answer

for line in sys.stdin:
    order, answer = json.loads(line), {}
    if order["What"] in ("begin", "cell"):
        begun = client.execute(order["Code"])
    if order["What"] == "interrupt":
        manager.interrupt_kernel()
    if order["What"] in ("interrupt", "cell"):
        answer = finish()
    if order["What"] in ("restart", "kill"):
        manager.restart_kernel(now=order["What"] == "kill")
        client.wait_for_ready(timeout=60)
    print(json.dumps(answer), flush=True)
client.stop_channels()
manager.shutdown_kernel()
`

// kernel is one that was started, and a client of it.
type kernel struct {
	t    testing.TB
	to   *json.Encoder
	from *json.Decoder
}

// answered is how a cell ended; it is empty for other orders.
type answered struct{ Status, Stderr, Shown string }

// startKernel starts a kernel with the Python of nbconvert's, which has a client.
func startKernel(t testing.TB, prefix, nbconvert, home string) kernel {
	t.Helper()
	text := must.Get(os.ReadFile(nbconvert))(t)
	line, _, _ := strings.Cut(string(text), "\n")
	python, found := strings.CutPrefix(line, "#!")
	if !found {
		kerneltest.Skip(t, "notebook", nbconvert+" is no script of a Python")
	}
	client := exec.Command(strings.TrimSpace(python), "-c", jupyter)
	client.Dir = t.TempDir()
	client.Env = append(os.Environ(), "JUPYTER_PATH="+filepath.Join(prefix, "share", "jupyter"), "VLPX_HOME="+home,
		"VLPX_UNATTENDED=1") // nobody completes a name
	client.Stderr = t.Output()
	to := must.Get(client.StdinPipe())(t)
	from := must.Get(client.StdoutPipe())(t)
	must.Do(t, client.Start())
	t.Cleanup(func() {
		to.Close() // ends the kernel
		if err := client.Wait(); err != nil {
			t.Errorf("the client: %v", err)
		}
	})
	return kernel{t, json.NewEncoder(to), json.NewDecoder(from)}
}

// do has the kernel begin a cell or run it to its end, or be interrupted, restarted or killed.
func (k kernel) do(what, code string) (a answered) {
	k.t.Helper()
	if err := k.to.Encode(struct{ What, Code string }{what, code}); err != nil {
		k.t.Fatal(err)
	}
	if err := k.from.Decode(&a); err != nil {
		k.t.Fatalf("%s: the client: %v", what, err)
	}
	return a
}

// wait waits until something is so.
func wait(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

// cellsWith are the processes of cells whose store is at home, as far as the system tells.
func cellsWith(home string) (found []string) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		program, err := os.Readlink(filepath.Join(process, "exe"))
		if err != nil || !strings.HasPrefix(filepath.Base(program), "gonb_") {
			continue
		}
		environment, err := os.ReadFile(filepath.Join(process, "environ"))
		if err == nil && strings.Contains(string(environment), "VLPX_HOME="+home) {
			found = append(found, process)
		}
	}
	return found
}
