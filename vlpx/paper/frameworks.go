package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
)

// Kind is a framework as scales know it.
type Kind struct {
	Name string
	What string // in a few words
	// preset changes a scale, made for ALBEF, to what the framework's paper has; nil for nothing.
	preset func(*Scale)
	// build makes the framework at a scale, for a vocabulary of the given size.
	build func(s Scale, vocab int) framework.Framework
}

// Frameworks lists the frameworks that a scale can have, the usual one first.
func Frameworks() []Kind {
	return []Kind{
		{Name: "ALBEF", What: "two encoders, fusion layers, ITC, ITM and MLM (Li et al., 2021)", build: func(s Scale, vocab int) framework.Framework { return s.albef(vocab) }},
	}
}

// kind finds a framework by its name.
func kind(name string) (Kind, error) {
	all := Frameworks()
	if name == "" {
		return all[0], nil
	}
	var names []string
	for _, k := range all {
		names = append(names, k.Name)
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) }); i >= 0 {
		return all[i], nil
	}
	return Kind{}, fmt.Errorf("no framework %q%s There are %s", name, Suggest(name, names), strings.Join(names, ", "))
}

// Model is the framework at this scale, for a vocabulary of the given size. Its name is one that Set has taken.
func (s Scale) Model(vocab int) framework.Framework {
	k, err := kind(s.Framework)
	if err != nil {
		panic(fmt.Sprintf("paper: %v", err))
	}
	return k.build(s, vocab)
}

// albef is ALBEF at this scale.
func (s Scale) albef(vocab int) albef.Model {
	patch := s.Patch
	if s.Locked.Side > 0 {
		patch = s.Image / s.Locked.Side
	}
	return albef.Model{
		Vision: encoder.ViT{Image: s.Image, Patch: patch, Width: s.Width, Layers: s.VisionLayers, Heads: s.Heads, MLP: s.MLP},
		Text: encoder.BERT{Vocab: vocab, Positions: s.Positions, Width: s.Width, Heads: s.Heads, MLP: s.MLP, Layers: s.TextLayers,
			Fusion: s.Fusion, Dropout: s.Dropout},
		Embed: s.Embed, Half: s.Half, MeanPool: s.MeanPool, Temperature: s.Temperature,
	}
}
