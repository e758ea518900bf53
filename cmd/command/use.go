package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/embedding"
	"vlpx.internal/vlpx/lab"
)

// modelHelp says what a MODEL is.
const modelHelp = "MODEL is a run by the beginning of its name, as vlpx runs tells it; a folder that vlpx export wrote; or a published CLIP, by " +
	"the path of its weights, with its vocabulary beside it or by -vocab."

func embedCommand() *cobra.Command {
	var o lab.Options
	var file string
	c := &cobra.Command{
		Use:   "embed MODEL PICTURE|FOLDER|TEXT... -o FILE",
		Short: "Embed pictures and texts by a trained model, into a .npy or .safetensors",
		Long: "Embed pictures and texts by a trained model.\n" + modelHelp + "\nA folder stands for all pictures in it and below it, a .txt for a " +
			"text a line; what is no file is a text.\nA .npy is one matrix, rows in the order given. A .safetensors has pictures and texts, and " +
			"their names and the model, by which vlpx search takes it.",
		Example: "  vlpx embed 1f0c photos -o photos.safetensors\n  vlpx embed exported/clip \"a dog\" \"a cat\" -o texts.npy",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("embed needs a model and what to embed; see %s -h", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("embed needs a file to write; name it with -o FILE.npy or -o FILE.safetensors")
			}
			if err := embedding.Writable(file); err != nil {
				return err
			}
			e, err := lab.Embed(c.Context(), args[0], args[1:], o, saying(c))
			if err != nil {
				return err
			}
			if err := e.Write(file); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s: %s, by %s\n", file, e, e.Model)
			return nil
		},
	}
	c.Flags().StringVarP(&file, "o", "o", "", "the `file` to write, a new one: .npy or .safetensors")
	bindModel(c, &o)
	return c
}

func scoreCommand() *cobra.Command {
	var o lab.Options
	c := &cobra.Command{
		Use:     "score MODEL PICTURE TEXT...",
		Short:   "Ask a trained model how well texts fit a picture: cosine, and ITM's probability where it has learned matching",
		Long:    "Ask a trained model how well texts fit a picture.\n" + modelHelp,
		Example: "  vlpx score 1f0c photo.jpg \"a dog on a beach\" \"a cat\"",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 3 {
				return fmt.Errorf("score needs a model, a picture and one text or more; see %s -h", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			s, err := lab.Score(c.Context(), args[0], args[1], args[2:], o, saying(c))
			if err != nil {
				return err
			}
			return s.Table().Text(c.OutOrStdout(), terminal())
		},
	}
	bindModel(c, &o)
	return c
}

func searchCommand() *cobra.Command {
	var o lab.Options
	var how lab.Searching
	var sheet string
	var shown int
	c := &cobra.Command{
		Use:   "search MODEL -in FOLDER|FILE.safetensors WORDS...",
		Short: "Find pictures by words: the paths of the best by a trained model, and a contact sheet",
		Long: "Find the pictures that words fit best: by the cosine of their embeddings, and the nearest, as many as in the model's evaluation, " +
			"again by image-text matching where it has learned that. UNITER, which embeds nothing, matches all pictures.\n" + modelHelp +
			"\nThe pictures are those in and below a folder, or those that vlpx embed wrote to a .safetensors by the same model.",
		Example: "  vlpx search 1f0c -in photos \"a dog on a beach\"\n  vlpx search 1f0c -in photos.safetensors \"a dog\" -o dogs.png",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("search needs a model and words; see %s -h", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if how.In == "" {
				return errors.New("search needs pictures; name their folder, or what vlpx embed wrote of them, with -in")
			}
			if shown < 1 {
				return fmt.Errorf("-n %d: show one picture or more", shown)
			}
			how.Words = strings.Join(args[1:], " ")
			found, err := lab.Search(c.Context(), args[0], how, o, saying(c))
			if err != nil {
				return err
			}
			if err := found.Table(shown).Text(c.OutOrStdout(), terminal()); err != nil || sheet == "" {
				return err
			}
			pictures, err := found.Pictures(c.Context(), shown)
			if err != nil {
				return err
			}
			return writeSheet(c, sheet, pictures)
		},
	}
	c.Flags().StringVar(&how.In, "in", "", "the `folder` of the pictures, or a .safetensors of vlpx embed")
	c.Flags().StringVar(&how.By, "by", "", "rank by cosine or ITM (default ITM where the model has learned it, else cosine)")
	c.Flags().IntVarP(&shown, "n", "n", lab.FoundShown, "how many pictures to show")
	c.Flags().StringVarP(&sheet, "o", "o", "", "a `file`.png for a contact sheet of them")
	bindModel(c, &o)
	return c
}

func auditCommand() *cobra.Command {
	var o lab.Options
	var a lab.Auditing
	var model string
	var files []string
	var shown, written int
	c := &cobra.Command{
		Use:   "audit -model MODEL [-data DIR]",
		Short: "Find captions of data that are true of other images, too: candidates for false negatives, for a person to judge",
		Long: "Find captions of data that may be true of other images, too, which contrastive training would take for negatives: the nearest " +
			"by the cosine, ranked by image-text matching where the model has learned it, and scored by MAFA's Con-D where its run has one.\n" +
			modelHelp + "\nWhere it is known which captions are true, precision and recall are printed.\nA .csv is for a person, who writes yes or " +
			"no into its column true: put beside the data as judgements.csv, it is a relation of the data.",
		Example: "  vlpx audit -model 1f0c -data ~/data/mine -o candidates.csv -o gallery.png\n  vlpx audit -model 1f0c -split test",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if model == "" {
				return errors.New("audit needs a model; name one with -model")
			}
			if shown < 1 || written < 1 || a.Nearest < 1 {
				return errors.New("-n, -show and -nearest are 1 or more")
			}
			for _, file := range files {
				if err := lab.AuditWritable(file); err != nil {
					return err
				}
			}
			found, err := lab.Audit(c.Context(), model, a, o, saying(c))
			if err != nil {
				return err
			}
			return tell(c, found.Tables(shown), files, func(file string) error { return found.Write(c.Context(), file, written) })
		},
	}
	flags := c.Flags()
	flags.StringVar(&model, "model", "", "the `model`: a run, an exported folder, or the weights of a published CLIP")
	flags.StringVar(&o.Data, "data", "", "a `folder` of captioned images, or a name in $VLPX_DATA (default the model's generated scenes)")
	flags.StringVar(&a.Split, "split", "train", "the split whose captions are looked through")
	flags.IntVar(&a.Nearest, "nearest", 10, "how many captions of each image, and images of each caption, become candidates")
	flags.StringVar(&a.By, "by", "", "rank by cosine, ITM or Con-D (default ITM where the model has learned it, else cosine)")
	flags.IntVar(&shown, "show", 20, "how many candidates to print")
	flags.IntVarP(&written, "n", "n", 1000, "how many candidates a .csv gets")
	flags.StringSliceVarP(&files, "o", "o", nil, "a `file` to write, a new .csv, a gallery as .png, .pdf or .svg, or precision and recall as .json; may be repeated")
	bindModel(c, &o)
	return c
}

// tell prints tables, and then writes files.
func tell(c *cobra.Command, all []tables.Table, files []string, write func(file string) error) error {
	for _, table := range all {
		if err := table.Text(c.OutOrStdout(), terminal()); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := write(file); err != nil {
			return err
		}
		fmt.Fprintln(c.OutOrStdout(), "wrote", file)
	}
	return nil
}

// bindModel binds what else finds a model.
func bindModel(c *cobra.Command, o *lab.Options) {
	flags := c.Flags()
	flags.StringVar(&o.Vocabulary, "vocab", "", "the `file` of a published model's vocabulary (default the one beside its weights)")
	flags.StringSliceVar(&o.Weights, "weights", nil, "vision=`FILE`: the frozen image encoder of an exported model, where it is not found")
	flags.StringVar(&o.Regions, "regions", "", "the `folder` of the regions that an exported model reads, where it reads these")
	bindHome(c, &o.Home)
}

// saying writes lines to standard error.
func saying(c *cobra.Command) func(string) {
	return func(line string) { fmt.Fprintln(c.ErrOrStderr(), line) }
}
