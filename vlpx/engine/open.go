package engine

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
)

// noDownloadEnv keeps GoMLX's engines from fetching libraries; they only ask whether it is set, and they ask at start-up.
const noDownloadEnv = "GOMLX_NO_AUTO_INSTALL"

// Open creates the backend of a choice. It returns an error where GoMLX would panic (an engine that is not in this build,
// a plugin that breaks while loading), and it downloads nothing.
//
// Unless the user has set $GOMLX_NO_AUTO_INSTALL, Open sets it to 1 in this process, for the programs it starts; the
// engines in this process are told directly, since they read the variable before main begins. A process loads one ONNX
// Runtime: later calls reuse the first one's.
func Open(c Choice) (backend compute.Backend, err error) {
	defer func() {
		if r := recover(); r != nil {
			backend, err = nil, fmt.Errorf("engine %s: %v; vlpx doctor says what it needs, $%s=%s runs without it", c.Name, r,
				compute.ConfigEnvVar, PureGo)
		}
	}()
	if _, set := os.LookupEnv(noDownloadEnv); !set {
		if err := os.Setenv(noDownloadEnv, "1"); err != nil {
			return nil, fmt.Errorf("engine %s: %w", c.Name, err)
		}
	}
	forbidONNXDownload()
	forbidXLADownload()

	name, _, _ := strings.Cut(c.Name, ":")
	if registered := compute.List(); !slices.Contains(registered, name) {
		slices.Sort(registered)
		return nil, fmt.Errorf("engine %q is not in this build, which has %s; change $%s, or build with cgo and without the tag noxla",
			c.Name, strings.Join(registered, ", "), compute.ConfigEnvVar)
	}
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	c.SetSessions() // where it cannot, the engine runs without
	if backend, err = compute.NewWithConfig(config); err != nil {
		from := ""
		if c.Library != "" {
			from = " from " + c.Library
		}
		return nil, fmt.Errorf("engine %s%s: %w; vlpx doctor says what it needs, $%s=%s runs without it",
			c.Name, from, err, compute.ConfigEnvVar, PureGo)
	}
	return backend, nil
}

// errNotONNX says that a model of ONNX takes another engine.
func errNotONNX(backend compute.Backend) error {
	return fmt.Errorf("engine: %s writes no models of ONNX; get ONNX Runtime by vlpx doctor -fix, and take it by %s=onnx:cpu", backend.Name(),
		compute.ConfigEnvVar)
}

// SetSessions has ONNX Runtime compute with this process's processors and fused operations, as Open does. An error says why it keeps
// settings of its own, with which training runs, too, and is slower. Of other engines there is nothing to set.
func (c Choice) SetSessions() error {
	library := c.onnxLibrary()
	if library == "" {
		return nil
	}
	_, device, _ := strings.Cut(c.Name, ":")
	return setONNXSessions(library, strings.HasPrefix(device, "cpu"))
}

// onnxLibrary is the path of the ONNX Runtime that a choice loads, where it is known before that: found by Choose, or named by the user.
func (c Choice) onnxLibrary() string {
	name, config, _ := strings.Cut(c.Name, ":")
	if !strings.HasPrefix(name, "onnx") {
		return ""
	}
	if c.Library != "" {
		return c.Library
	}
	for item := range strings.SplitSeq(config, ",") {
		if strings.Contains(item, "/") && !strings.Contains(item, "=") {
			return strings.TrimSpace(item)
		}
	}
	return os.Getenv(libraryEnv)
}

// config is the name with the library put where the engine's configuration takes it: as a further item for ONNX Runtime,
// in place of the device's name for XLA.
func (c Choice) config() (string, error) {
	if c.Library == "" {
		return c.Name, nil
	}
	if strings.ContainsAny(c.Library, ",=") {
		return "", fmt.Errorf("engine %s: the path %s holds a comma or an equals sign, which the engine cannot take; move the library, "+
			"or link it elsewhere",
			c.Name, c.Library)
	}
	name, config, _ := strings.Cut(c.Name, ":")
	if strings.HasPrefix(name, "onnx") {
		return name + ":" + strings.TrimPrefix(config+",", ",") + c.Library, nil
	}
	_, options, found := strings.Cut(config, ",")
	if found {
		options = "," + options
	}
	return name + ":" + c.Library + options, nil
}
