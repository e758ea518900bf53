package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/vlpx/encoder"
)

// CLIPSizes are the sizes of a published CLIP. The image tower is Vision, or ResNet if that has layers.
type CLIPSizes struct {
	Vision encoder.ViT
	ResNet encoder.CLIPResNet
	Text   encoder.CLIPText
	Embed  int // width of the shared embedding
}

// CLIP reads the sizes of a CLIP from the shapes of its tensors. What these do not tell is in the configuration beside the file, Hugging
// Face's config.json or open_clip's open_clip_config.json; without one heads are 64 wide, and the activation is OpenAI's QuickGELU.
func (s Source) CLIP() (c CLIPSizes, err error) {
	f, family, err := s.open()
	if err != nil {
		return c, err
	}
	defer f.Close()
	const root = ""
	if family.Whole == nil || !strings.Contains(family.Name, "CLIP") || strings.Contains(family.Name, "BLIP") {
		return c, fmt.Errorf("weights: %s: it looks like %s, which is no CLIP", s.Path, family.Name)
	}
	config, err := readCLIPConfig(filepath.Dir(s.Path))
	if err != nil {
		return c, fmt.Errorf("weights: %w", err)
	}
	m := measured{file: f, rules: family.Whole(root).Rules, path: s.Path}
	c.Embed = m.shape(root+"/text_projection/"+encoder.Weights, 2)[1]
	word, positions := m.shape(root+"/text/word/"+encoder.Embedding, 2), m.shape(root+"/text/position/"+encoder.Embedding, 2)
	c.Text = encoder.CLIPText{
		Vocab: word[0], Positions: positions[0], Width: word[1], MLP: m.shape(root+"/text/layer_#/mlp/in/"+encoder.Weights, 2)[1],
		Layers: m.layers(root + "/text/layer_#/attention/norm/" + encoder.Gain), Activation: config.text.activation, End: config.end,
		Heads: config.text.heads(word[1]),
	}
	if family.Vision == nil {
		c.ResNet = m.resNet(root+"/vision", config.vision)
		return c, m.err
	}
	if m.err != nil {
		return c, m.err
	}
	width := m.shape(root+"/vision/class/"+encoder.Embedding, 1)[0]
	if c.Vision, err = s.Vision(config.vision.heads(width)); err != nil {
		return c, err
	}
	c.Vision.Activation = config.vision.activation
	return c, m.err
}

// measured reads shapes of variables from a file; the first that it lacks is the error.
type measured struct {
	file  *File
	rules []Rule
	path  string
	err   error
}

// name is the published name of a variable's first tensor, with # for its layer.
func (m *measured) name(variable string) (string, Layout) {
	i := slices.IndexFunc(m.rules, func(r Rule) bool { return r.Variable == variable })
	return m.rules[i].Tensors[0], m.rules[i].Layout
}

// shape is that of a variable in our layout, of layer 0; zeros where the file has no such tensor of so many axes.
func (m *measured) shape(variable string, axes int) []int {
	name, layout := m.name(variable)
	dims := m.file.about(strings.ReplaceAll(name, "#", "0")).Shape
	if len(dims) != axes {
		if m.err == nil {
			m.err = fmt.Errorf("weights: %s: there is no tensor %s of %d axes", m.path, strings.ReplaceAll(name, "#", "0"), axes)
		}
		return make([]int, axes)
	}
	if layout == Linear {
		dims = []int{dims[1], dims[0]}
	}
	return dims
}

// layers counts the layers that have a variable.
func (m *measured) layers(variable string) (n int) {
	name, _ := m.name(variable)
	names := m.file.Names()
	for slices.Contains(names, strings.ReplaceAll(name, "#", fmt.Sprint(n))) {
		n++
	}
	return n
}

// resNet are the sizes of CLIP's ResNet below a scope.
func (m *measured) resNet(scope string, of towerConfig) encoder.CLIPResNet {
	r := encoder.CLIPResNet{Width: 2 * m.channels(scope+"/stem/norm1/"+encoder.Gain)}
	for stage := 1; stage <= residualStages; stage++ {
		r.Layers = append(r.Layers, m.layers(fmt.Sprintf("%s/stage%d/layer_#/norm1/%s", scope, stage, encoder.Gain)))
	}
	r.Output = m.shape(scope+"/pool/output/"+encoder.Weights, 2)[1]
	positions := m.shape(scope+"/pool/position/"+encoder.Embedding, 2)
	r.Image, r.Heads = side(positions[0]-1)*r.Reduction(), of.heads(positions[1])
	return r
}

// channels are those of a vector.
func (m *measured) channels(variable string) int { return m.shape(variable, 1)[0] }

// towerConfig is what a configuration says of one of the two towers; zeros where it says nothing.
type towerConfig struct {
	count, wide int // heads, and the width of each
	activation  encoder.Activation
}

// heads are those of a tower of a width.
func (t towerConfig) heads(width int) int {
	switch {
	case t.count > 0:
		return t.count
	case t.wide > 0:
		return width / t.wide
	}
	return max(1, width/64)
}

// clipConfig are the two towers of a configuration.
type clipConfig struct {
	vision, text towerConfig
	end          encoder.End // where a text is read
}

// readCLIPConfig reads the configuration in a folder. Without one it is OpenAI's.
func readCLIPConfig(dir string) (clipConfig, error) {
	c := clipConfig{vision: towerConfig{activation: encoder.Quick}, text: towerConfig{activation: encoder.Quick}}
	for _, file := range []struct {
		name string
		read func(c *clipConfig, text []byte) error
	}{{"open_clip_config.json", (*clipConfig).openCLIP}, {"config.json", (*clipConfig).hub}} {
		path := filepath.Join(dir, file.name)
		text, err := content.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = file.read(&c, text)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w; mend it, or take it away", path, err)
		}
		return c, nil
	}
	return c, nil
}

// openCLIP reads open_clip's configuration, whose activation is the exact GELU where it does not say otherwise.
func (c *clipConfig) openCLIP(text []byte) error {
	var said struct {
		Model *struct {
			Quick  bool `json:"quick_gelu"`
			Vision struct {
				HeadWidth int `json:"head_width"`
			} `json:"vision_cfg"`
			Text struct {
				Heads int `json:"heads"`
			} `json:"text_cfg"`
		} `json:"model_cfg"`
	}
	if err := plainjson.Unmarshal(text, &said); err != nil {
		return err
	}
	if said.Model == nil {
		return errors.New("no configuration of open_clip: there is no model_cfg")
	}
	activation := encoder.Activation("")
	if said.Model.Quick {
		activation = encoder.Quick
	}
	c.vision = towerConfig{wide: said.Model.Vision.HeadWidth, activation: activation}
	c.text = towerConfig{count: said.Model.Text.Heads, activation: activation}
	return c.check()
}

// hub reads Hugging Face's configuration; one of another model says nothing of towers.
func (c *clipConfig) hub(text []byte) error {
	type of struct {
		Heads      int    `json:"num_attention_heads"`
		Activation string `json:"hidden_act"`
	}
	var said struct {
		Vision of `json:"vision_config"`
		Text   struct {
			of
			Vocab int `json:"vocab_size"`
			End   int `json:"eos_token_id"`
		} `json:"text_config"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return plainjson.InWords(err)
	}
	for _, t := range []struct {
		said of
		is   *towerConfig
	}{{said.Vision, &c.vision}, {said.Text.of, &c.text}} {
		t.is.count = t.said.Heads
		switch t.said.Activation {
		case "", "quick_gelu":
		case "gelu":
			t.is.activation = ""
		default:
			return fmt.Errorf("the activation %q, which is not known; CLIPs have quick_gelu or gelu", t.said.Activation)
		}
	}
	// Transformers reads a text at its first end token. For an end of 2, which its first configurations have, that is the largest id.
	if end := said.Text.End; end > 0 && end != 2 && end != said.Text.Vocab-1 {
		c.end = encoder.LastToken
	}
	return c.check()
}

func (c clipConfig) check() error {
	for _, t := range []towerConfig{c.vision, c.text} {
		if t.count < 0 || t.wide < 0 {
			return errors.New("a number of heads below 0")
		}
	}
	return nil
}
