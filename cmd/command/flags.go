package command

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/scale"
)

// options are the flags that say what to run; they fill lab.Options.
type options struct {
	lab.Options
	seeds string
}

func (o *options) bind(c *cobra.Command) {
	o.Say = func(line string) { fmt.Fprintln(c.ErrOrStderr(), line) }
	flags := c.Flags()
	flags.String("config", "", "a YAML `file` of method and flags by their names, as vlpx runs show ID -config writes it; flags win over it")
	flags.StringVar(&o.Scale, "scale", "mini", "preset of sizes: "+strings.Join(scale.ScaleNames(), ", "))
	flags.StringVar(&o.seeds, "seeds", "1,2,3", "seeds, such as 1,2,3 or 1-8; every method gets the same")
	flags.StringVar(&o.Data, "data", "", "scenes (generated, the default but of artifacts that ask for data which $VLPX_DATA has), or a "+
		"`folder` with dataset_*.json and images/, train/CLASS/*.jpg, *.tar or *.parquet shards or CIFAR's *.bin; "+
		"a name is looked up in $VLPX_DATA; several have commas between, and braces stand for many shards, as in 'a/{00..31}.tar'")
	flags.StringVar(&o.Framework, "framework", "", "the model and its losses, one that vlpx show frameworks lists (default ALBEF)")
	flags.StringArrayVar(&o.Set, "set", nil, "change a setting by `key=value`, such as epochs=3 or scenes.density=dbl, one that vlpx show "+
		"settings lists; may be repeated")
	flags.StringVar(&o.Vocabulary, "vocab", "",
		"BERT vocab.txt, tokenizer.json, CLIP's bpe_simple_vocab_16e6.txt.gz or GPT-2's merges.txt "+
			"(default: built from the training captions)")
	flags.StringSliceVar(&o.Weights, "weights", nil,
		"published weights to start from, `vision=NAME,text=NAME` or model=NAME for all of a model: names that vlpx weights lists, paths, "+
			"or none (default drawn; at paper DeiT and BERT)")
	flags.StringVar(&o.Graphs, "graphs", "", "a `file` of scene graphs of training captions (caption, tab, graph; or FACTUAL's CSV), in "+
		"the place of parsed ones, for methods that write sentences")
	flags.StringVar(&o.Regions, "regions", "", "a `folder` of precomputed regions, an npz file a picture (docs/REGIONS.md), for a "+
		"framework that reads regions of photographs, such as UNITER")
	flags.StringVar(&o.Data2, "data2", "", "a `folder` of captioned images, or a name, in the place of Flickr30K in tables that have it "+
		"(default of scenes: scenes of another world)")
	flags.StringSliceVar(&o.Without, "without", nil, "downstream `tasks` of an artifact to leave out, such as VQA,NLVR2,second, each of "+
		"which takes further runs")
	bindHome(c, &o.Home)
}

func (o *options) bindMethods(c *cobra.Command) {
	c.Flags().StringSliceVar(&o.Methods, "methods", nil, "`rows` to run, separated by commas (default all)")
}

func (o *options) bindTensorBoard(c *cobra.Command) {
	c.Flags().StringVar(&o.TensorBoard, "tensorboard", "", "a `folder` for event files of the runs, which TensorBoard reads while they "+
		"grow (default none)")
}

// bindView binds what a report shows.
func (o *options) bindView(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&o.View.Title, "title", "", "title of table and figure (default the artifact's)")
	flags.StringArrayVar(&o.View.Metrics, "metrics", nil, "`metrics` that table and figure show, such as IR@1,'cosine IR mAP'; names of "+
		"vlpx show tasks, or headings (default all)")
	flags.StringArrayVar(&o.View.Rows, "rows", nil, "`rows` that they show, in that order, by their names; may be repeated (default all)")
	flags.BoolVar(&o.View.Curves, "curves", false, "draw the metrics over the epochs")
	flags.StringVar(&o.View.Width, "width", "", "`width` of the figure: column (3.5in), page (7.16in) or a length such as 89mm")
	flags.StringVar(&o.View.Height, "height", "", "`height` of a panel of the figure, such as 45mm")
	flags.IntVar(&o.View.Panels, "panels", 0, "panels of the figure side by side at most")
	flags.StringVar(&o.View.Typeface, "typeface", "", "`typeface` of the figure: "+strings.Join(lab.Typefaces(), ", ")+" (default sans)")
}

func bindHome(c *cobra.Command, home *string) {
	c.Flags().StringVar(home, "home", "", "the store's place (default $VLPX_HOME, else vlpx in the user's cache folder)")
}

// complete reads what the flags alone do not give, and fetches shards that have addresses.
func (o *options) complete(ctx context.Context) (err error) {
	o.Own = methods
	if o.Seeds, err = parseSeeds(o.seeds); err != nil {
		return err
	}
	o.Options, err = o.Fetched(ctx)
	return err
}

// completeFor is complete for artifacts.
func (o *options) completeFor(ctx context.Context, ids []string) error {
	err := o.complete(ctx)
	o.Options = o.Options.WithRows(methods, ids...)
	return err
}

// mostSeeds is how many seeds a range may have: more than anybody trains, and few enough to be written down.
const mostSeeds = 10_000

// parseSeeds reads seeds and ranges of seeds that are separated by commas, such as 1,2,5-8.
func parseSeeds(list string) (seeds []uint64, err error) {
	for _, text := range strings.Split(list, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(text), "-")
		from, err := strconv.ParseUint(first, 10, 64)
		to := from
		if err == nil && ranged {
			to, err = strconv.ParseUint(last, 10, 64)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("-seeds %s: %q is not a whole number; write them as 1,2,3 or 1-8", list, text)
		case to < from:
			return nil, fmt.Errorf("-seeds %s: %q ends before it begins; write %d-%d", list, text, to, from)
		case to-from >= mostSeeds:
			return nil, fmt.Errorf("-seeds %s: %q has more than %d seeds", list, text, mostSeeds)
		}
		for k := range to - from + 1 {
			seeds = append(seeds, from+k)
		}
	}
	return seeds, nil
}
