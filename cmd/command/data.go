package command

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/lab"
)

func dataCommand() *cobra.Command {
	var o lab.Options
	var quick bool
	var sheet string
	c := &cobra.Command{
		Use:   "data [DIR]",
		Short: "Look through data: what is there, what is broken, lengths, duplicates, false negatives that equal captions make",
		Long: "Look through a folder of data, or the generated scenes: what is there, what is broken or left out, lengths of captions, small " +
			"and repeated images, and how many negatives are false by an equal caption. Every image is opened, but with -quick.",
		Example: "  vlpx data ~/data/mine\n  vlpx data flickr8k -quick\n  vlpx data -scale mini -o sheet.png\n" +
			"  vlpx data export -scale tiny -o scenes\n  vlpx data fetch 'https://example.org/{00..31}.tar' -o shards",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Data = args[0]
			}
			o.Say = saying(c)
			here, err := o.Fetched(c.Context())
			if err != nil {
				return err
			}
			data, err := lab.OpenData(here)
			if err != nil {
				return err
			}
			table, wrong, err := data.Survey(c.Context(), !quick)
			if err != nil {
				return err
			}
			if err := table.Text(c.OutOrStdout(), terminal()); err != nil {
				return err
			}
			for _, one := range wrong {
				fmt.Fprintln(c.OutOrStdout(), one)
			}
			if sheet == "" {
				return nil
			}
			pictures, err := data.ContactSheet(c.Context())
			if err != nil {
				return err
			}
			return writeSheet(c, sheet, pictures)
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "open no image")
	c.Flags().StringVarP(&sheet, "o", "o", "", "a `file`.png for a contact sheet of the images")
	bindScenes(c, &o)
	c.AddCommand(dataExportCommand(), dataFetchCommand())
	return c
}

func dataExportCommand() *cobra.Command {
	var o lab.Options
	var dir, seeds string
	c := &cobra.Command{
		Use:   "export -o FOLDER",
		Short: "Write generated scenes as files: images, captions, relation and questions in the layouts of Karpathy, ECCV and VQA v2",
		Example: "  vlpx data export -scale tiny -o scenes\n  vlpx train InfoNCE -data scenes -scale tiny\n" +
			"  vlpx data export -seed 2 -o scenes-2   # those of seed 2 at mini, where each seed has its own",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if dir == "" {
				return errors.New("data export needs a folder to write; name it with -o FOLDER")
			}
			var err error
			if o.Seeds, err = parseSeeds(seeds); err != nil {
				return err
			}
			data, err := lab.OpenData(o)
			if err != nil {
				return err
			}
			if err := data.Export(c.Context(), dir); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s to %s; -data %s reads it\n", data.Collection.Name(), dir, dir)
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "o", "o", "", "the `folder` to write: one that is not there yet, or is empty")
	c.Flags().StringVar(&seeds, "seed", "1", "the `seed` whose scenes they are, where each seed has its own")
	bindScenes(c, &o)
	return c
}

// writeSheet writes pictures as a PNG, whole or not at all.
func writeSheet(c *cobra.Command, file string, pictures plots.Pictures) error {
	var content bytes.Buffer
	if err := pictures.PNG(&content, 150); err != nil {
		return err
	}
	if err := disk.WriteFile(file, content.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), "wrote", file)
	return nil
}

// bindScenes binds what says which scenes are meant.
func bindScenes(c *cobra.Command, o *lab.Options) {
	c.Flags().StringVar(&o.Scale, "scale", "mini", "preset of sizes, of scenes and of what a model reads")
	c.Flags().StringArrayVar(&o.Set, "set", nil, "change a setting by `key=value`, such as scenes.density=dbl; may be repeated")
}
