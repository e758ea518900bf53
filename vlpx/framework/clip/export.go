package clip

import (
	_ "embed"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Settings are the sizes of a model with the image tower V in the words of open_clip's configurations, as exports have them.
type Settings[V ViT | ResNet] struct {
	ModelType    string `json:"model_type"` // "clip"
	Embed        int    `json:"embed_dim"`  // of the shared embedding
	Quick        bool   `json:"quick_gelu"` // else the exact GELU
	Vision       V      `json:"vision_cfg"`
	Text         Text   `json:"text_cfg"`
	ImagePooling string `json:"image_pooling"` // "class", as published; "mean" of all tokens; "attention" of a ResNet
	// "largest", as published: the token with the largest id, the first of them; "last" that is not 0
	TextPooling string `json:"text_pooling"`
}

// ViT has the names of open_clip's CLIPVisionCfg, and where the tower is not CLIP's what that does not have.
type ViT struct {
	Image     int     `json:"image_size"`
	Patch     int     `json:"patch_size"`
	Width     int     `json:"width"`
	Layers    int     `json:"layers"`
	HeadWidth int     `json:"head_width"`
	Ratio     float64 `json:"mlp_ratio"`

	NoFirstNorm bool    `json:"no_ln_pre,omitempty"`
	PatchBias   bool    `json:"patch_bias,omitempty"`
	Epsilon     float64 `json:"layer_norm_eps,omitempty"` // 1e-5 where there is none
	Activation  string  `json:"hidden_act,omitempty"`     // "gelu" or "quick_gelu" where it is not the text tower's
	Locked      int     `json:"locked_dim,omitempty"`     // width of the tokens of a frozen encoder that it reads in the place of pixels
}

// ResNet has the names of open_clip's CLIPVisionCfg for a ModifiedResNet.
type ResNet struct {
	Image     int   `json:"image_size"`
	Width     int   `json:"width"`
	Layers    []int `json:"layers"`     // bottlenecks a stage
	HeadWidth int   `json:"head_width"` // of the attention pool
}

// Text has the names of open_clip's CLIPTextCfg.
type Text struct {
	Positions int     `json:"context_length"`
	Vocab     int     `json:"vocab_size"`
	Width     int     `json:"width"`
	Heads     int     `json:"heads"`
	Layers    int     `json:"layers"`
	Ratio     float64 `json:"mlp_ratio"`
}

//go:embed use.md
var cardUse string

//go:embed model.py
var torch string

// Export implements framework.Exported.
func (m Model) Export() framework.Export {
	r, v, t := m.ResNet, m.Vision, m.Text
	e := framework.Export{
		Vocabulary: t.Vocab, Use: strings.TrimSpace(cardUse) + m.departures(),
		Architecture: [][2]string{{"image tower"},
			{"text tower", fmt.Sprintf("layers %d, width %d, %d tokens in the vocabulary", t.Layers, t.Width, t.Vocab)}},
	}
	if m.resNet() {
		e.Settings, e.Table = settings(m, "attention", ResNet{r.Image, r.Width, r.Layers, r.Channels() / r.Heads}),
			weights.CLIPResNetModel(framework.Model)
		e.Architecture[0][1] = fmt.Sprintf("ResNet with %v bottlenecks, width %d, %d pixels", r.Layers, r.Width, r.Image)
	} else {
		e.Settings, e.Table = settings(m, m.imagePooling(), m.vit()), weights.CLIPModel(framework.Model)
		e.Architecture[0][1] = fmt.Sprintf("layers %d, width %d, %d pixels in patches of %d", v.Layers, v.Width, v.Image, v.Patch)
	}
	e.Table = weights.Join(e.Table, weights.Table{Rest: framework.Model})
	if m.published() {
		e.Torch = torch
	}
	return e
}

func settings[V ViT | ResNet](m Model, imagePooling string, vision V) Settings[V] {
	t, textPooling := m.Text, "largest"
	if t.End == encoder.LastToken {
		textPooling = "last"
	}
	return Settings[V]{
		ModelType: "clip", Embed: m.Embed, Quick: t.Activation == encoder.Quick, Vision: vision, ImagePooling: imagePooling,
		TextPooling: textPooling,
		Text:        Text{t.Positions, t.Vocab, t.Width, t.Heads, t.Layers, float64(t.MLP) / float64(t.Width)},
	}
}

func (m Model) imagePooling() string {
	if m.MeanPool {
		return "mean"
	}
	return "class"
}

func (m Model) vit() ViT {
	v := m.Vision
	forward := ViT{Image: v.Image, Patch: v.Patch, Width: v.Width, Layers: v.Layers, HeadWidth: v.Width / v.Heads, Ratio: float64(v.MLP) /
		float64(v.Width), Locked: v.Locked}
	if !v.CLIP {
		forward.NoFirstNorm, forward.PatchBias, forward.Epsilon = true, true, v.Epsilon()
	}
	if v.Activation != m.Text.Activation {
		forward.Activation = map[encoder.Activation]string{"": "gelu", encoder.Quick: "quick_gelu"}[v.Activation]
	}
	return forward
}

// published tells whether the image tower is CLIP's.
func (m Model) published() bool {
	v := m.Vision
	return m.resNet() || v.CLIP && v.Activation == m.Text.Activation && v.Locked == 0
}

// departures report where the model is not what the published code builds, a paragraph a departure.
func (m Model) departures() string {
	var all strings.Builder
	if m.MeanPool {
		all.WriteString("\n\n**The image's embedding differs from the published code**: it reads the mean of all tokens of the image,\n" +
			"`self.ln_post(x).mean(1) @ self.proj`, not the class token's.")
	}
	if m.Text.End == encoder.LastToken {
		all.WriteString("\n\nA text is read at its last token that is not 0, " +
			"`x[torch.arange(len(x)), (text.ne(0) * torch.arange(text.shape[1])).argmax(1)]`.\n" +
			"The published code reads it at the largest id: with CLIP's own vocabulary that is the same token, **with another one it " +
			"is not**.")
	}
	switch stages := len(m.ResNet.Layers); {
	case m.resNet() && stages != 4:
		fmt.Fprintf(&all, "\n\n**The ResNet has %d stages**, and the published code builds four.", stages)
	case !m.published():
		all.WriteString("\n\n**The image tower is not CLIP's**, so that open_clip does not build it: `vision_cfg` says what differs " +
			"in keys that\n" +
			"open_clip does not have, and the published class needs these changes.")
	}
	return all.String()
}
