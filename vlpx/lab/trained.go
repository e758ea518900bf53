package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/export"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/watchdog"
	"vlpx.internal/vlpx/weights"
)

// trained is a model that is there to be used. Not for concurrent use.
type trained struct {
	name string // what people call it
	// id identifies its weights: the run's identity, also of its export, or the hash of a published file.
	id       string
	run      run.Run // what it needs of its run: sizes, locked encoder, regions
	model    *train.Model
	executor run.Executor
	say      func(string)
}

// withTrained opens a model for as long as it is used. It is named by a folder that Export wrote; by a published checkpoint's name, file or
// folder; or by the identity of a run of the store or the beginning of it. Of the options it reads Home, Weights and Regions as
// [EvaluateExport] does, and for a published model Vocabulary. say hears of what is worth a line.
func withTrained(ctx context.Context, name string, o Options, say func(string), use func(context.Context, *trained) error) error {
	store, err := OpenStore(o.Home)
	if err != nil {
		return err
	}
	return onEngine(func(backend compute.Backend, engine string) error {
		t := &trained{executor: run.Executor{Store: store.Store, Backend: backend, Engine: engine, Say: say}, say: say}
		_, known := weights.Named(name)
		_, missing := os.Stat(name)
		switch {
		case missing == nil && export.Is(name):
			err = t.openExport(name, store.Home, o)
		case known || missing == nil:
			err = t.openPublished(name, store.Home, o)
		case strings.ContainsRune(name, filepath.Separator):
			err = fmt.Errorf("%w; name a folder that vlpx export wrote, published weights, or a run that vlpx runs lists", missing)
		default:
			err = t.openRun(store, name, o)
		}
		if err != nil {
			return err
		}
		defer t.model.Close()
		ctx, end := watchdog.Work(ctx, o.silence, store.Home, say, t.name+": its use has not moved on")
		defer end()
		return guard(func() error { return use(ctx, t) })
	})
}

// openRun opens the model of a finished run.
func (t *trained) openRun(store *Store, id string, o Options) error {
	kept, err := store.finished(id)
	if err != nil {
		return err
	}
	t.run, t.id, t.name = kept.Run, kept.ID, fmt.Sprintf("%s, seed %d, run %s", kept.Result.Method, kept.Result.Seed, run.Short(kept.ID))
	if err := beside(&t.run, store.Home, o); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	t.model, err = store.model(t.executor.Backend, kept)
	return err
}

// finished is a finished run of the store, by its identity or the beginning of it.
func (s *Store) finished(id string) (run.Kept, error) {
	all, err := s.Entries()
	if err != nil {
		return run.Kept{}, err
	}
	found, err := s.find(all, id)
	switch {
	case err != nil:
		return run.Kept{}, err
	case found.State == run.Broken:
		return run.Kept{}, found.Err
	case found.State != run.Finished:
		return run.Kept{}, fmt.Errorf("run %s is not finished (%s); make it first, vlpx runs says which are", found.ID, found.State)
	}
	nameCheckpoints(&found.Kept.Run, Places(s.Home))
	return found.Kept, nil
}

// model is that of a finished run. The caller closes it.
func (s *Store) model(backend compute.Backend, kept run.Kept) (*train.Model, error) {
	tokenizer, err := s.Tokenizer(kept)
	if err != nil {
		return nil, err
	}
	return train.LoadTrained(backend, kept.Run.Train, tokenizer, kept.Dir)
}

// openExport opens the model of a folder that Export wrote.
func (t *trained) openExport(dir, home string, o Options) error {
	folder, err := readExport(dir, home, o)
	if err != nil {
		return err
	}
	t.run, t.id, t.name = folder.Run, folder.VLPX.Run, fmt.Sprintf("%s, seed %d, of %s", folder.VLPX.Method, folder.VLPX.Seed, dir)
	t.model, err = folder.Model(t.executor.Backend)
	return err
}

// readExport reads a folder that Export wrote, and finds what its model needs beside it.
func readExport(dir, home string, o Options) (*export.Folder, error) {
	folder, err := export.Read(dir)
	if err != nil {
		return nil, err
	}
	if err := beside(&folder.Run, home, o); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return folder, nil
}

// beside finds what a model needs besides its weights: a published image encoder that is locked, and regions in files.
func beside(r *run.Run, home string, o Options) error {
	if locked := r.Locked; locked != nil && locked.Trained == nil {
		if err := locateEncoder(&locked.Weights, o.Weights, Places(home)); err != nil {
			return err
		}
	}
	if files := r.Regions.Files; files != nil {
		return locateRegions(files, o.Regions)
	}
	return nil
}

// openPublished opens a published model at its own sizes.
func (t *trained) openPublished(name, home string, o Options) error {
	source, err := Places(home).Find(name)
	if err != nil {
		return err
	}
	sized, use, err := framework.Sized(source)
	if err != nil {
		return err
	}
	file, err := vocabularyBeside(source, o.Vocabulary)
	if err != nil {
		return err
	}
	tokenizer, err := run.Vocabulary{File: file}.Tokenizer(nil)
	if err != nil {
		return err
	}
	if tokenizer.Size() != sized.Vocabulary() {
		return fmt.Errorf("%s has %d tokens, and %s knows %d; give the vocabulary that belongs to the weights with -vocab", file,
			tokenizer.Size(), source.Name, sized.Vocabulary())
	}
	c := train.Config{Framework: framework.Choice{Framework: sized}, BatchSize: use.Batch, MaxLen: use.Tokens}
	c.Transform.Size = use.Image
	t.run, t.id, t.name = run.Run{Train: c}, source.Hash, source.Name
	t.model, err = publishedModel(t.executor.Backend, c, source, tokenizer)
	return err
}

// publishedModel reads a published model of a configuration.
func publishedModel(backend compute.Backend, c train.Config, source weights.Source, k *text.Tokenizer) (*train.Model, error) {
	return train.Fill(backend, c, k, func(store *gomlx.Store) error {
		values, _, err := source.Model(store, framework.Model)
		if err == nil {
			err = values.Put(store, dtypes.Float32)
		}
		if err == nil {
			err = weights.Missing(store, framework.Model)
		}
		return err
	})
}

// vocabularies are the files of vocabularies that lie beside published weights.
var vocabularies = []string{"tokenizer.json", "bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"}

// vocabularyBeside is the file of the vocabulary of a published model: the one that is given, or one beside the weights.
func vocabularyBeside(source weights.Source, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	for _, name := range vocabularies {
		file := filepath.Join(filepath.Dir(source.Path), name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s has no vocabulary beside it (%s); put one there, or give it with -vocab FILE", source.Path,
		strings.Join(vocabularies, ", "))
}

// subject is the model on a split of data.
func (t *trained) subject(ctx context.Context, d run.Data, c datasets.Collection, split string) (eval.Subject, func(), error) {
	return t.executor.Subject(ctx, t.run, t.model, d, c, split)
}

// framework is that of the model.
func (t *trained) framework() framework.Framework { return t.run.Train.Framework.Framework }

// embeds tells why the model does not embed pictures, or texts.
func (t *trained) embeds(pictures, texts bool) error {
	f := t.framework()
	_, both := f.(framework.Embeds)
	_, one := f.(framework.EmbedsImages)
	switch {
	case pictures && !one:
		return fmt.Errorf("%s is of %s, which makes no embeddings of pictures; take a model of ALBEF, CLIP or BLIP-2's first stage", t.name,
			f.Name())
	case texts && !both && one:
		return fmt.Errorf("%s is of %s, which has no text side; name pictures alone, or take a model that reads texts", t.name, f.Name())
	case texts && !both:
		return fmt.Errorf("%s is of %s, which makes no embeddings of texts; take a model of ALBEF, CLIP or BLIP-2's first stage", t.name,
			f.Name())
	}
	return nil
}

// matches reports whether the model has learned to match pairs.
func (t *trained) matches() bool {
	_, scores := t.framework().(framework.Scores)
	_, matches := t.framework().(framework.Matches)
	return scores || matches && t.run.Train.Objectives.Has(negative.ITM)
}

// tell says which texts the model does not read to their end, and of which it knows no word.
func (t *trained) tell(texts []string) {
	k, tokens := t.model.Tokenizer, t.run.Train.MaxLen
	if k == nil || t.say == nil {
		return
	}
	for _, one := range texts {
		if k.Cut(one, tokens) {
			t.say(fmt.Sprintf("the end of %q is not read: the model takes %s", shortened(one), limits(k.MaxWords(), tokens-2)))
		}
		if k.Strange(one) {
			t.say(fmt.Sprintf("the model knows no word of %q", shortened(one)))
		}
	}
}

// limits says how much of a text is read.
func limits(words, tokens int) string {
	if words == 0 {
		return counted(tokens, "token")
	}
	return fmt.Sprintf("%s and %s at most", counted(words, "word"), counted(tokens, "token"))
}

// longestShown is how many letters of a text a line shows.
const longestShown = 60

// shortened is a text as a line shows it.
func shortened(text string) string {
	letters := []rune(text)
	if len(letters) <= longestShown {
		return text
	}
	return string(letters[:longestShown-1]) + "…"
}

// skipping notes images that cannot be read instead of ending the work; a picture that was named by itself ends it.
func skipping(s *eval.Subject, named map[string]bool, skipped *[]loader.Skip) {
	s.Accept = func(skip loader.Skip) error {
		if named[skip.Key] {
			return skip.Err
		}
		*skipped = append(*skipped, skip)
		return nil
	}
}
