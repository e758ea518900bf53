package command

import (
	"errors"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
)

func mapCommand() *cobra.Command {
	var o lab.Options
	var m lab.Mapping
	var model string
	var files []string
	c := &cobra.Command{
		Use:   "map -model MODEL [-data DIR]",
		Short: "Estimate how many negatives of data are false, and where the data lie on the map of what that costs",
		Long: "Estimate which share of the negatives of data is false, in uniform mini-batches and among the hardest, by a trained model, and " +
			"place the data on the figure of vlpx/map.\n" + modelHelp + "\nIt tells by what is known of the data, by MAFA's Con-D where the " +
			"model's run has one, by image-text matching where the model has learned it, and by the cosine, and places the data by the first of " +
			"these.\nA .csv is for a person, who writes yes or no into its column true: put beside the data as judgements.csv, the same call " +
			"tells by that.",
		Example: "  vlpx map -model 1f0c -data ~/data/mine -o negatives.csv -o map.png",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if model == "" {
				return errors.New("map needs a model; name one with -model")
			}
			if m.Batch < 2 || m.Anchors < 1 {
				return errors.New("-batch is 2 or more, and -anchors 1 or more")
			}
			for _, file := range files {
				if err := lab.AuditWritable(file); err != nil {
					return err
				}
			}
			mapped, err := lab.Map(c.Context(), model, m, o, saying(c))
			if err != nil {
				return err
			}
			return tell(c, mapped.Tables(), files, mapped.Write)
		},
	}
	flags := c.Flags()
	flags.StringVar(&model, "model", "", "the `model`: a run, an exported folder, or the weights of a published CLIP")
	flags.StringVar(&o.Data, "data", "", "a `folder` of captioned images, or a name in $VLPX_DATA (default the model's generated scenes)")
	flags.StringVar(&m.Split, "split", "train", "the split whose pairs are drawn")
	flags.IntVar(&m.Batch, "batch", 32, "pairs of a mini-batch; the more, the more of the hardest negatives are false")
	flags.IntVar(&m.Anchors, "anchors", 500, "how many negatives of each kind are drawn")
	flags.StringSliceVarP(&files, "o", "o", nil, "a `file` to write, a new .csv of the negatives or the figure as .png, .pdf or .svg; may be repeated")
	bindModel(c, &o)
	return c
}
