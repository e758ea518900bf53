package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/datasets/layout"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

func doctorCommand() *cobra.Command {
	var fix, speed bool
	var home string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say which engine runs and why, what is missing and how to get it, and what data and store there are",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			place, err := run.Home(home)
			if err != nil {
				return err
			}
			if fix {
				library, err := engine.Install(c.Context(), engine.Cache(), c.ErrOrStderr())
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "ONNX Runtime is at %s\n", library)
			}
			return diagnose(c, place, speed)
		},
	}
	c.Flags().BoolVar(&fix, "fix", false, "fetch ONNX Runtime with npm into the user's cache folder")
	c.Flags().BoolVar(&speed, "speed", false, "measure the engine on a matrix product")
	bindHome(c, &home)
	return c
}

func diagnose(c *cobra.Command, home string, speed bool) error {
	w := c.OutOrStdout()
	choice, missing := engine.Choose(engine.Cache())
	fmt.Fprintf(w, "engine   %s: %s\n", choice.Name, choice.Reason)
	if choice.Slower != "" {
		fmt.Fprintf(w, "         %s\n", choice.Slower)
	}
	if err := choice.SetSessions(); err != nil {
		fmt.Fprintf(w, "         it runs with ONNX Runtime's own settings, so training is slower: %v\n", err)
	}
	if speed {
		backend, err := engine.Open(choice)
		if err != nil {
			return err
		}
		defer backend.Finalize()
		gflops, err := engine.Speed(backend)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "speed    %.3g GFLOP/s on a product of 512 x 512 matrices\n", gflops)
	}
	for _, m := range missing {
		fmt.Fprintf(w, "without  %s: %s; %s\n", m.Name, m.Why, m.Get)
	}
	machine := engine.Describe()
	fmt.Fprintf(w, "machine  %s, %s, %d cores, %s, %s\n", machine.System, cmp.Or(machine.CPU, "an unknown processor"), machine.Cores,
		memory(machine), machine.Go)
	for _, gpu := range machine.GPUs {
		fmt.Fprintf(w, "GPU      %s, %.0f GiB, driver %s\n", gpu.Name, gib(gpu.Memory), gpu.Driver)
	}
	if len(machine.GPUs) == 0 {
		fmt.Fprintln(w, "GPU      none found")
	}
	fmt.Fprintf(w, "program  %s\n", version())
	describeData(c)
	describeEncoder(c, lab.Places(home))
	fmt.Fprintln(w, "regions  boxes of scenes; of photographs those of a detector with -regions FOLDER (docs/REGIONS.md), or a locked "+
		"encoder's patches")
	return describeStore(c, home)
}

func describeData(c *cobra.Command) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		fmt.Fprintln(c.OutOrStdout(), "data     scenes (generated); set VLPX_DATA to a folder of data sets to use photographs by name")
		return
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		fmt.Fprintf(c.OutOrStdout(), "data     scenes (generated); VLPX_DATA cannot be read: %v\n", err)
		return
	}
	var known []string
	for _, e := range entries {
		if what := layout.Of(filepath.Join(root, e.Name())); what != "" {
			known = append(known, fmt.Sprintf("         -data %s (%s)", e.Name(), what))
		}
	}
	if known == nil {
		fmt.Fprintf(c.OutOrStdout(), "data     scenes (generated); no folder NAME in VLPX_DATA=%s has a layout that is known\n", root)
		return
	}
	fmt.Fprintf(c.OutOrStdout(), "data     scenes (generated)\n%s\n", strings.Join(known, "\n"))
}

// describeEncoder reports whether an image encoder can be locked in front of photographs.
func describeEncoder(c *cobra.Command, places weights.Places) {
	source, err := places.Find(scale.Lockable)
	switch {
	case err != nil:
		fmt.Fprintf(c.OutOrStdout(), "encoder  %v\n", err)
	case source.Hash == "":
		fmt.Fprintf(c.OutOrStdout(), "encoder  none to lock in front of photographs; vlpx weights fetch %s\n", scale.Lockable)
	default:
		fmt.Fprintf(c.OutOrStdout(), "encoder  %s, in front of photographs at mini (%s)\n", source.Name, source.Path)
	}
}

func describeStore(c *cobra.Command, home string) error {
	w := c.OutOrStdout()
	results, err := filepath.Glob(filepath.Join(home, "runs", "*", "result.json"))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "store    %s, %d finished runs\n", home, len(results))
	if err := os.MkdirAll(home, 0o755); err != nil {
		fmt.Fprintf(w, "         it cannot be written: %v; set VLPX_HOME to a place that can\n", err)
		return nil
	}
	probe, err := os.CreateTemp(home, ".probe-*")
	if err != nil {
		fmt.Fprintf(w, "         it cannot be written: %v; set VLPX_HOME to a place that can\n", err)
		return nil
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// memory is what the system tells of it; macOS does not say how much is free.
func memory(m engine.Machine) string {
	switch {
	case m.MemoryTotal == 0:
		return "unknown memory"
	case m.MemoryAvailable == 0:
		return fmt.Sprintf("%.1f GiB memory", gib(m.MemoryTotal))
	}
	return fmt.Sprintf("%.1f GiB memory (%.1f free)", gib(m.MemoryTotal), gib(m.MemoryAvailable))
}

func gib(bytes uint64) float64 { return float64(bytes) / (1 << 30) }
