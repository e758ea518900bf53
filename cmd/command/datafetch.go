package command

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/fetch"
)

func dataFetchCommand() *cobra.Command {
	var dir, sums string
	c := &cobra.Command{
		Use:   "fetch [SPLIT=]URL... -o FOLDER",
		Short: "Fetch shards (tar or parquet) over HTTP, going on where a former call was cut off; braces stand for many, as in a shell",
		Example: "  vlpx data fetch 'https://example.org/cc3m/{00000..00331}.tar' val=https://example.org/cc3m/val.tar -o cc3m\n" +
			"  vlpx train InfoNCE -data cc3m -framework clip",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s needs the addresses of shards", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, addresses []string) error {
			if dir == "" {
				return errors.New("data fetch needs a folder for the shards; name it with -o FOLDER")
			}
			known, err := fetch.ReadSums(sums)
			if err != nil {
				return err
			}
			files, err := fetch.Shards(addresses, dir, known)
			if err != nil {
				return err
			}
			return fetchShards(c, files, dir)
		},
	}
	c.Flags().StringVarP(&dir, "o", "o", "", "the `folder` of the shards; those that it has stay")
	c.Flags().StringVar(&sums, "sums", "", "a `file` of the shards' SHA-256, as sha256sum writes them")
	return c
}

// fetchShards tells what the shards will take before it gets those that are missing.
func fetchShards(c *cobra.Command, files []fetch.File, dir string) error {
	missing := slices.DeleteFunc(slices.Clone(files), func(f fetch.File) bool {
		_, err := os.Stat(f.To)
		return err == nil
	})
	if len(missing) > 0 {
		size, err := missing[0].Size(c.Context())
		if errors.Is(err, fetch.ErrUnreachable) {
			return err
		}
		about, free := "the server does not tell their size", disk.Free(dir)
		for i := range missing {
			missing[i].Most = int64(free)
		}
		if size >= 0 && err == nil {
			all := uint64(size) * uint64(len(missing))
			about = fmt.Sprintf("if all are as large as the first, %s; %s are free at %s", inMB(all), inMB(free), dir)
			if free > 0 && all > free {
				return fmt.Errorf("%d shards do not fit: %s", len(missing), about)
			}
		}
		fmt.Fprintf(c.ErrOrStderr(), "%d of %d shards are missing: %s\n", len(missing), len(files), about)
		bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(c.ErrOrStderr()), progressbar.OptionShowBytes(true))
		err = fetch.All(c.Context(), missing, func(done int, bytes int64) {
			bar.Describe(fmt.Sprintf("%d of %d shards", done, len(missing)))
			bar.Set64(bytes)
		})
		fmt.Fprintln(c.ErrOrStderr())
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(c.OutOrStdout(), "%d shards are in %s; vlpx data %s looks through them, -data %s trains on them\n", len(files), dir, dir, dir)
	return nil
}

// inMB is a number of bytes in megabytes.
func inMB(bytes uint64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
