package command

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/source"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Tell the commit of this program and the versions of its libraries",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "vlpx %s\n", version())
			return err
		},
	}
}

// version is the commit, the libraries and what the program was built by and for.
func version() string {
	parts := []string{"commit " + source.Commit()}
	for library, version := range engine.Versions() {
		parts = append(parts, library+" "+version)
	}
	slices.Sort(parts[1:])
	return fmt.Sprintf("%s, %s (%s/%s)", strings.Join(parts, ", "), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
