package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Config is config.json: what builds the model, how its inputs are prepared, and the run behind it.
type Config struct {
	// Sizes are in the words of the framework's published configuration (see framework.Export). Its fields stand beside the others.
	Sizes any `json:"-"`
	Inputs
	VLPX Origin `json:"vlpx"`
}

// Inputs are how an image and a caption are prepared for the model. There is nothing of images where it reads their regions.
type Inputs struct {
	Mean      []float32 `json:"image_mean,omitempty"` // of red, green and blue over [0, 1]
	Deviation []float32 `json:"image_std,omitempty"`
	Resize    string    `json:"image_resize,omitempty"` // to a square, without a crop
	MaxTokens int       `json:"max_tokens"`             // of a caption, with the tokens before and after it
	MaxWords  int       `json:"max_words,omitempty"`    // of a caption before it is split into tokens; 0 where all are kept
}

// Origin is what no other program asks for: the run that the model is of.
type Origin struct {
	Run       string   `json:"run"` // its identity, the hash of Settings
	Method    string   `json:"method"`
	Seed      uint64   `json:"seed"`
	Tokenizer string   `json:"tokenizer"`            // the hash of tokenizer.json
	Own       []string `json:"own_tensors,omitzero"` // tensors of the model that published ones have not
	// Locked is the frozen image encoder whose tokens the model reads and which its file leaves out; nil where it reads pixels.
	Locked *Locked `json:"locked_vision,omitempty"`
	// Learned are the variables that the method's parts trained beside the model, such as SigLIP's bias.
	Learned []train.Learned `json:"learned,omitempty"`
	// Settings are the run's canonical JSON.
	Settings json.RawMessage `json:"settings"`
}

// Locked is a frozen image encoder: a published checkpoint, of whose patches each square is one token for the model.
type Locked struct {
	Name string `json:"name"` // as it is known; empty where it has no name
	Hash string `json:"hash"` // of the file's content
	Side int    `json:"side"` // squares of patches a side
}

// MarshalJSON implements json.Marshaler.
func (c Config) MarshalJSON() ([]byte, error) {
	type plain Config
	sizes, err := json.Marshal(c.Sizes)
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(plain(c))
	if err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimSuffix(sizes, []byte("}")), []byte(","), bytes.TrimPrefix(rest, []byte("{"))), nil
}

// inputs tells how a run prepares images and captions, of which so many words are kept.
func inputs(r run.Run, words int) Inputs {
	if regional(r) {
		return Inputs{MaxTokens: r.Train.MaxLen, MaxWords: words}
	}
	pixels := transform.CLIP
	if r.Locked != nil {
		pixels = r.Locked.Pixels
	}
	return Inputs{Mean: pixels.Mean[:], Deviation: pixels.Deviation[:], Resize: "bicubic", MaxTokens: r.Train.MaxLen, MaxWords: words}
}

// regional tells whether the model reads regions of images.
func regional(r run.Run) bool { return r.Regions != (regions.Source{}) }

// exportOf is what others need of a run's framework.
func exportOf(r run.Run) (framework.Export, error) {
	f := r.Train.Framework.Framework
	if f == nil {
		return framework.Export{}, framework.ErrUnknown
	}
	exported, ok := f.(framework.Exported)
	if !ok {
		return framework.Export{}, fmt.Errorf("%s has no names that other programs know, so that its models are not exported", f.Name())
	}
	return exported.Export(), nil
}

// parse reads a config.json and the run that it tells of. What it says must fit together, since the model is built from the run's
// settings and others build it from the sizes. Fields that it does not know are other programs' own.
func parse(content []byte) (Config, run.Description, error) {
	fail := func(err error) (Config, run.Description, error) { return Config{}, run.Description{}, err }
	var c Config
	if err := plainjson.Unmarshal(content, &c); err != nil {
		return fail(fmt.Errorf("no config.json: %w", err))
	}
	var hub struct{ Architectures []string }
	if err := plainjson.Unmarshal(content, &hub); err == nil && len(hub.Architectures) > 0 {
		return fail(fmt.Errorf("it is a %s's of transformers; name a folder that vlpx export wrote without -hub-layout",
			strings.Join(hub.Architectures, ", ")))
	}
	if len(c.VLPX.Settings) == 0 {
		return fail(errors.New("it has no vlpx.settings, so that this is no export of vlpx"))
	}
	described, err := run.Describe(c.VLPX.Settings)
	if err != nil {
		return fail(fmt.Errorf("vlpx.settings: %w", err))
	}
	if described.ID != c.VLPX.Run {
		return fail(fmt.Errorf("vlpx.settings are those of run %s, not of %q; they were changed, so export the run again", described.ID,
			c.VLPX.Run))
	}
	if err := plausible(described.Run); err != nil {
		return fail(fmt.Errorf("vlpx.settings: %w", err))
	}
	of, err := exportOf(described.Run)
	if err != nil {
		return fail(fmt.Errorf("vlpx.settings: %w", err))
	}
	sizes := reflect.New(reflect.TypeOf(of.Settings))
	if err := plainjson.Unmarshal(content, sizes.Interface()); err != nil {
		return fail(fmt.Errorf("no config.json: %w", err))
	}
	c.Sizes = sizes.Elem().Interface()
	for _, pair := range [][2]any{{c.Sizes, of.Settings}, {c.Inputs, inputs(described.Run, c.MaxWords)}} { // the tokenizer tells of words
		if name, told, settings := differ(reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])); name != "" {
			return fail(fmt.Errorf("%s is %v, which does not fit vlpx.settings, by which it is %v; export the run again", name,
				told, settings))
		}
	}
	return c, described, nil
}

// plausible tells what of a run would fail in building its model.
func plausible(r run.Run) error {
	f, use := r.Train.Framework.Framework, r.Train.Use()
	if use.Batch < 1 {
		return fmt.Errorf("mini-batches of %d pairs", use.Batch)
	}
	if regional(r) {
		if err := r.Regions.Validate(); err != nil {
			return err
		}
	}
	if err := framework.Check(f, use); err != nil {
		return err
	}
	for _, in := range f.Inputs(use) {
		if pixels := in.Shape.Rank() == 4; in.Name == field.Image && pixels == (r.Locked != nil || regional(r)) {
			return errors.New("a locked encoder, or regions, without a model that reads them, or the other way round")
		}
	}
	if len(r.Tasks) == 0 {
		return errors.New("no task to be measured by")
	}
	return nil
}

// differ names the first field of two structs that is not the same in both, by its JSON names, with its two values; "" for none.
func differ(a, b reflect.Value) (name string, of, other any) {
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		tag, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		if x.Kind() == reflect.Struct {
			if name, of, other = differ(x, y); name != "" {
				return tag + "." + name, of, other
			}
		} else if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			return tag, x.Interface(), y.Interface()
		}
	}
	return "", nil, nil
}
