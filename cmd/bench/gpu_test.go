package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/train"
)

// An engine with memory of its own has the images of a step before its time begins, once.
func TestStepWithMemoryApart(t *testing.T) {
	e := executor(t)
	apart := &enginetest.Apart{Backend: e.Backend}
	e.Backend = apart
	p := probe(t, e, tiny(t, "InfoNCE"))
	in := must.Get(p.Load(t.Context()))(t)
	defer in.Release()
	s := &step{probe: p, part: train.Whole, in: in}
	for range 2 { // the first takes the weights up, too
		apart.Crossed()
		must.Get2(s.once())(t)
	}
	up, _ := apart.Crossed()
	images := 0
	for _, shape := range up {
		if shape.Rank() == 4 {
			images++
		}
	}
	if images != 1 || !(up[0].Rank() == 4) {
		t.Errorf("got %v up, want the images first and once", up)
	}
}

// On a GPU only the fastest way of PyTorch stays, since memory is for few, and a way that fails costs nothing but itself. PyTorch is the
// real one on the processor, told that it is on a GPU.
func TestRaceOnAGPU(t *testing.T) {
	real, dir := torch(t), t.TempDir()
	script := `#!/bin/sh
case "$1" in -c) echo 2.11.0 True True; exit;; esac
sed -i 's/"device":"cuda"/"device":"cpu"/' "$3/step.json"
case "$4" in
reduce-overhead) echo "RuntimeError: no graphs here" >&2; exit 1;;
esac
exec ` + real.path + ` -c '
import sys, time
at, folder, mode = sys.argv[1:]
sys.path.insert(0, at[:at.rindex("/")])
import main
old = main.Step.losses
def losses(self):
    time.sleep(1 if mode == "eager" else 0)
    return old(self)
main.Step.losses = losses
main.main(folder, "eager")' "$2" "$3" "$4"
`
	must.Do(t, os.WriteFile(filepath.Join(dir, "python3"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	e, c := executor(t), tiny(t, "FALCON")
	e.Engine = "xla:cuda" // as it is called
	b := &bench{Settings: Settings{Peer: true}, executor: e, say: func(string) {}}
	of, err := b.enter(t.Context(), c)
	if of != nil {
		defer of.close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(of.peers) != 1 || of.peers[0].name() != "PyTorch compile" {
		t.Errorf("got %d peers, want torch.compile", len(of.peers))
	}
	left := strings.Join(b.result.Left, "; ")
	if !strings.Contains(left, "PyTorch eager, whose step took") || !strings.Contains(left, "reduce-overhead ended: RuntimeError: no "+
		"graphs here") {
		t.Errorf("got %q left out, want the slower way and the one that fails", left)
	}
	if b.result.PyTorch != "2.11.0" {
		t.Errorf("got PyTorch %s", b.result.PyTorch)
	}
}

// A way of PyTorch that is not ready in time does not race, and does not keep the others from it.
func TestReady(t *testing.T) {
	real, dir := torch(t), t.TempDir()
	script := "#!/bin/sh\ncase \"$1\" in -c) echo 2.11.0 True True; exit;; esac\n[ \"$4\" = default ] && exec sleep 60\n" +
		"sed -i 's/\"device\":\"cuda\"/\"device\":\"cpu\"/' \"$3/step.json\"\nexec " + real.path + " -B \"$2\" \"$3\" eager\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "python3"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	e := executor(t)
	e.Engine = "xla:cuda" // as it is called
	b := &bench{Settings: Settings{Peer: true, Ready: 20 * time.Second, Modes: []string{eager, compiled}}, executor: e,
		say: func(string) {}}
	of, err := b.enter(t.Context(), tiny(t, "InfoNCE"))
	if of != nil {
		defer of.close()
	}
	if err != nil || len(of.peers) != 1 || of.peers[0].mode != eager || len(b.result.Left) != 1 ||
		!strings.Contains(b.result.Left[0], "PyTorch compile was not ready in time, 20s") {
		t.Fatalf("got %+v, %q left out", err, b.result.Left)
	}
	if _, err := of.peers[0].step(train.Whole); err != nil {
		t.Errorf("the way that was ready: %v", err)
	}
}
