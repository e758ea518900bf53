package engine

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
)

// The engines, as $GOMLX_BACKEND spells them, fastest first.
const (
	cudaEngine = "xla:cuda"
	xlaEngine  = "xla:cpu"
	onnxEngine = "onnx:cpu"
	PureGo     = "go:ops_sequential" // which has every operation of GoMLX
)

// slowerGo is the measured price of the pure-Go engine: a run at scale mini took ten times as long as on ONNX Runtime, on the same two
// cores (paper.PureGoFactor), and a step of a small transformer alone (batch 64, 64 tokens, width 128, 4 layers) twelve times, 3.0 s and
// 0.25 s.
const slowerGo = "training takes about ten times as long as on onnx:cpu"

// Choice is the engine that a program will run on.
type Choice struct {
	Name    string // as $GOMLX_BACKEND spells it, such as "onnx:cpu"
	Reason  string // why it was chosen, for a person
	Library string // path of the shared library it loads; "" when it needs none or looks for it by itself
	Slower  string // what a user loses by it; "" when nothing
}

// Missing is an engine that cannot be used here.
type Missing struct {
	Name string // as $GOMLX_BACKEND spells it
	Why  string // what is not there
	Get  string // what to do to have it
}

// Choose returns the engine to use and the engines that this machine or this build lacks, fastest first.
//
// $GOMLX_BACKEND wins when it is set. Otherwise the choice is xla:cuda where an NVIDIA device and a CUDA PJRT plugin are
// found, else xla:cpu where its plugin is installed, else onnx:cpu where an ONNX Runtime library is found, else pure Go
// with its operations in sequence: its default scheduler can deadlock on few cores, so it is never chosen here.
//
// PJRT plugins are looked for in $PJRT_PLUGIN_LIBRARY_PATH or, when that is unset, in go-xla's own folders,
// $LD_LIBRARY_PATH and JAX's folder in Python's site-packages. ONNX Runtime is $ONNXRUNTIME_SHARED_LIBRARY_PATH or, when
// that is unset, what Install put under home (the store's place), compute-onnx under the user's home, or pip into Python's
// site-packages.
// Choose loads no library: a file that is there but broken shows in Open.
func Choose(home string) (Choice, []Missing) {
	return newFinder(home).choose(strings.TrimSpace(os.Getenv(compute.ConfigEnvVar)))
}

// choose decides for the given value of $GOMLX_BACKEND.
func (f finder) choose(wish string) (Choice, []Missing) {
	var usable []Choice
	var missing []Missing
	for _, look := range []func() (Choice, Missing){f.cuda, f.xla, f.onnx} {
		if choice, lacking := look(); choice.Name != "" {
			usable = append(usable, choice)
		} else {
			missing = append(missing, lacking)
		}
	}
	if wish != "" {
		return wished(wish, usable), missing
	}
	usable = append(usable, Choice{
		Name:   PureGo,
		Reason: "no faster engine is installed; pure Go runs everywhere",
		Slower: slowerGo,
	})
	return usable[0], missing
}

// wished is the choice for a non-empty $GOMLX_BACKEND, with the library that was found for it.
func wished(wish string, usable []Choice) Choice {
	choice := Choice{Name: wish, Reason: fmt.Sprintf("$%s is set to it", compute.ConfigEnvVar)}
	name, config, _ := strings.Cut(wish, ":")
	engine := ""
	switch name {
	case "go":
		choice.Slower = slowerGo
		if !strings.Contains(config, "ops_sequential") {
			choice.Slower += fmt.Sprintf(", and its parallel scheduler can hang: prefer %s", PureGo)
		}
	case "onnx", "onnxruntime":
		if wantsPlainONNX(config) {
			engine = onnxEngine
		}
	case "xla", "stablehlo", "hlo", "shlo":
		device, _, _ := strings.Cut(config, ",")
		engine = "xla:" + device
	}
	if i := slices.IndexFunc(usable, func(u Choice) bool { return u.Name == engine }); i >= 0 {
		choice.Library = usable[i].Library
	}
	return choice
}

// wantsPlainONNX reports whether a configuration of the ONNX engine asks for the processor, or leaves the device open,
// and names no library of its own: what the library found by onnx serves.
func wantsPlainONNX(config string) bool {
	for part := range strings.SplitSeq(config, ",") {
		part = strings.ToLower(strings.TrimSpace(part))
		if part != "" && part != "cpu" && !strings.Contains(part, "=") {
			return false
		}
	}
	return true
}
