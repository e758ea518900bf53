package command

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/fetch"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

func weightsCommand() *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:   "weights",
		Short: "List the published weights that runs can start from; fetch them, or show what a file has",
		Args:  needsVerb,
		RunE: func(c *cobra.Command, _ []string) error {
			places, err := placesAt(home)
			if err != nil {
				return err
			}
			return listWeights(c.OutOrStdout(), places)
		},
	}
	get := &cobra.Command{
		Use: "fetch NAME...",
		Short: "Fetch published weights from the Hugging Face hub ($HF_ENDPOINT for another one), going on where a former call " +
			"was cut off",
		Example: "  vlpx weights fetch deit-base bert-base",
		Args:    needsWeights,
		RunE: func(c *cobra.Command, names []string) error {
			places, err := placesAt(home)
			if err != nil {
				return err
			}
			for _, name := range names {
				if err := fetchWeights(c, places, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
	show := &cobra.Command{
		Use:     "show NAME|PATH...",
		Short:   "Print what published weights have, and what of it would be read",
		Example: "  vlpx weights show vit-tiny\n  vlpx weights show ~/ALBEF.safetensors",
		Args:    needsWeights,
		RunE: func(c *cobra.Command, names []string) error {
			places, err := placesAt(home)
			if err != nil {
				return err
			}
			for _, name := range names {
				source, err := places.Find(name)
				if err != nil {
					return err
				}
				lines, err := source.About()
				if err != nil {
					return err
				}
				for _, line := range lines {
					fmt.Fprintln(c.OutOrStdout(), line)
				}
			}
			return nil
		},
	}
	for _, command := range []*cobra.Command{c, get, show} {
		bindHome(command, &home)
	}
	c.AddCommand(get, show)
	return c
}

// needsVerb takes no argument: what is none of the commands below it is most likely the name of weights.
func needsVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("weights %s: to do what? %s fetch %s fetches it, %s show %s prints what it has", args[0], c.CommandPath(), args[0],
		c.CommandPath(), args[0])
}

func needsWeights(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s needs a name, such as deit-base; vlpx weights lists them", c.CommandPath())
	}
	return nil
}

func placesAt(home string) (weights.Places, error) {
	home, err := run.Home(home)
	return lab.Places(home), err
}

func listWeights(out io.Writer, places weights.Places) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tFOR\tSIZE\tLICENCE\tSHA-256\tHERE\tSOURCE\tWHAT")
	for _, k := range weights.AllKnown() {
		sum, here := k.SHA256, "no"
		if sum == "" {
			sum = "as the hub states"
		}
		switch source, err := places.Find(k.Name); {
		case err != nil:
			here = "damaged"
		case source.Hash != "":
			here = source.Hash
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s@%s %s\t%s\n", k.Name, k.For, k.Size, k.Licence, sum, here, k.Hub, k.Revision,
			k.File, k.What)
	}
	fmt.Fprintf(w, "\nFetched ones lie in %s. A run starts from them with -weights vision=NAME,text=NAME, or model=FILE for all of "+
		"a model.\n",
		places.Cache)
	return w.Flush()
}

func fetchWeights(c *cobra.Command, places weights.Places, name string) error {
	known, ok := weights.Named(name)
	if !ok {
		return fmt.Errorf("no weights %q; vlpx weights lists them", name)
	}
	var bar *progressbar.ProgressBar
	source, err := places.Fetch(c.Context(), known, fetch.Hub(), func(done, total int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(c.ErrOrStderr()), progressbar.OptionSetDescription(name),
				progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond))
		}
		bar.Set64(done)
	})
	if bar != nil {
		fmt.Fprintln(c.ErrOrStderr())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "%s is at %s (%s)\n", name, source.Path, source.Hash)
	return nil
}
