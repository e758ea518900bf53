package lab

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vlpx.internal/datasets/layout"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/fetch"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// Options are what a user may ask of an artifact; the zero value is the default scale on generated scenes.
type Options struct {
	Scale string // "tiny", "mini" (the default), "small" or "paper"
	// Data is "scenes" (the default, but of artifacts that ask for data which $VLPX_DATA has), or a folder of captioned or labelled images
	// (see datasets/layout); a name is looked up in $VLPX_DATA. Several have commas between, and braces stand for many tar shards, as in
	// "cc3m/{000..331}.tar,val=cc3m/val.tar". Shards may have addresses, https://HOST/{000..331}.tar, which are fetched into the store, and
	// checksums, sums=FILE.
	Data      string
	Seeds     []uint64 // 1, 2 and 3 if empty
	Framework string   // the model and its losses, as Show("frameworks") lists them; ALBEF if empty. It is the setting framework, set first
	Methods   []string // rows of an artifact to run; all if empty
	Set       []string // changes of the scale, "key=value", as Show("settings") lists them
	// Vocabulary is a BERT vocab.txt, a tokenizer.json, CLIP's bpe_simple_vocab_16e6.txt.gz or GPT-2's merges.txt; built from the training
	// captions if empty.
	Vocabulary string
	// Weights are the published ones that runs start from: "vision=NAME" and "text=NAME", or "model=NAME" for all of a model, each the name
	// of a checkpoint that vlpx weights lists, the path of a safetensors file, or "none". If empty first weights are drawn, but at the
	// scale "paper", which starts from DeiT and BERT.
	Weights []string
	// Regions is a folder of precomputed regions, an npz file a picture as docs/REGIONS.md says, for a framework that reads regions of
	// photographs; of generated scenes the boxes are known.
	Regions string
	// Graphs is a file of scene graphs of training captions, of a caption, a tab and its graph a line or a CSV of FACTUAL, in the place of
	// those that are parsed, for methods that write sentences; empty for none.
	Graphs string
	// Data2 is a folder, or a name in $VLPX_DATA, of captioned images in the place of the second data, on which tables that the papers have
	// Flickr30K in tell retrieval, too; of generated scenes it is other scenes if empty.
	Data2 string
	// Without names downstream tasks of an artifact to leave out, such as "VQA", which take further runs.
	Without []string
	Home    string `json:"-"` // the store's place; $VLPX_HOME or the user's cache folder if empty
	// TensorBoard is a folder for event files of what is run, a folder a run, which TensorBoard reads while they grow; empty for none.
	TensorBoard string `json:"-"`
	// View is what the table and the figure of a report show of rows and metrics, and how large the figure is; all, as it is, if empty. A
	// page has none.
	View View `json:"-"`
	// Own are custom methods: further rows of an artifact, which are always run, and names for Run, Compare, Bench and
	// Explore. A part that is defined outside of this module, as in a cell, is identified by the source that it reaches, too, so that a
	// change of its code runs it anew, and no other change does.
	Own []negative.Method `json:"-"`
	// Model makes a custom framework, which every run then has in the place of ALBEF, for a vocabulary of the given size (0 where it
	// reads no captions). It is identified as a part of a method is. nil for none.
	Model func(s scale.Scale, vocab int) framework.Framework `json:"-"`
	// Tasks are what runs are measured by besides retrieval, which they have where the framework embeds images and captions or scores
	// pairs. They are part of a run's identity; Measure asks of finished runs what they were not trained with.
	Tasks []eval.Task `json:"-"`
	// Say hears in a line of what takes long before it is known which runs there are. A cell's calls say it there if nil.
	Say func(line string) `json:"-"`

	here  map[string]string // where data lie that have addresses, by their names; see Fetched
	known *plan.Known       // see plan.Request; of a call that plans several artifacts

	silence time.Duration // that is told, instead of watchdog.Quiet; 0 but in tests
}

// View is a choice of what a report's table and figure show, and how large the figure is.
type View = paper.View

// Typefaces are the names of what a figure's letters may look like.
func Typefaces() []string { return plots.TypefaceNames() }

// WithRows are the options with a program's methods as further rows of artifacts: all of them, or those that Methods names. Where one of
// the artifacts compares no methods there are none.
func (o Options) WithRows(own []negative.Method, ids ...string) Options {
	o.Own = slices.DeleteFunc(slices.Clone(own), func(m negative.Method) bool {
		return len(o.Methods) > 0 && !slices.ContainsFunc(o.Methods,
			func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), m.Name) })
	})
	for _, id := range ids {
		if a, err := catalogue.Find(id); err == nil && len(a.Rows) == 0 {
			o.Own = nil
		}
	}
	return o
}

// Places are where known checkpoints lie: below the store's home, in $VLPX_DATA, and in the cache folder of the hub's own tools.
func Places(home string) weights.Places {
	p := weights.Places{Cache: filepath.Join(home, "weights"), Hub: fetch.HubCache()}
	if data := os.Getenv("VLPX_DATA"); data != "" {
		p.Data = filepath.Join(data, "pretrained")
	}
	return p
}

// absolute are the options with absolute paths in the place of those of files and folders that are there, so that a process elsewhere finds
// them.
func (o Options) absolute() Options {
	of := func(path string) string {
		if _, err := os.Stat(path); err != nil {
			return path // a name
		}
		if whole, err := filepath.Abs(path); err == nil {
			return whole
		}
		return path
	}
	if o.Data != "scenes" && o.Data != "" {
		o.Data = layout.Absolute(o.Data)
	}
	if o.Data2 != "" {
		o.Data2 = layout.Absolute(o.Data2)
	}
	o.Vocabulary, o.Regions, o.Graphs = of(o.Vocabulary), of(o.Regions), of(o.Graphs)
	o.Weights = slices.Clone(o.Weights)
	for i, assignment := range o.Weights {
		part, name, named := strings.Cut(assignment, "=")
		if _, known := weights.Named(name); named && !known {
			o.Weights[i] = part + "=" + of(name)
		}
	}
	return o
}

// request is what is asked of an artifact, with a store at home.
func (o Options) request(home string) (plan.Request, error) {
	data, err := o.folder(o.Data)
	if err != nil {
		return plan.Request{}, err
	}
	second, err := o.folder(o.Data2)
	if o.Framework != "" {
		o.Set = append([]string{"framework=" + o.Framework}, o.Set...)
	}
	return plan.Request{
		Scale: o.Scale, Data: data, Seeds: o.Seeds, Methods: o.Methods, Own: o.Own, Set: o.Set, Vocabulary: o.Vocabulary,
		Weights: o.Weights, Places: Places(home), Regions: o.Regions, Graphs: o.Graphs, Model: o.Model, Tasks: o.Tasks,
		Second: second, Without: o.Without, Known: o.known,
	}, err
}

// found is a name of data, if $VLPX_DATA has it, else none.
func (o Options) found(name string) string {
	if dir, err := o.folder(name); err != nil || dir == "" {
		return ""
	}
	return name
}

// folder is where data of a name lies; empty for generated scenes.
func (o Options) folder(name string) (string, error) {
	if name == "" || name == "scenes" {
		return "", nil
	}
	if here, fetched := o.here[name]; fetched {
		return here, nil
	}
	return layout.Find(name)
}
