package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
)

// Method is a method by its name, apart from the tables that compare it. A row is made of it with MethodRow.
type Method struct {
	Name    string
	Aliases []string // further names that Variant takes
	Source  string   // the paper, and the section of METHODS.md
	What    string   // what it does, in a few words
	// Parts are what it is composed of at a scale.
	Parts func(Scale) negative.Method
	// Reference is the registered method whose run of the same seed is the frozen model that Parts need; empty for none. A relation
	// that they need is the data's.
	Reference string
	// Tune gives the retrieval fine-tuning that is part of the method, as of Con-D; nil for none.
	Tune func(Scale) negative.Method
}

// Methods lists the methods that there are by name: those of FALCON's table 1 in its order, the plain baseline, and what other papers name.
func Methods() []Method {
	return []Method{
		{Name: "ALBEF", Source: "Li et al., 2021; METHODS.md 1", What: "soft targets of momentum encoders and a queue",
			Parts: func(s Scale) negative.Method { return negative.ALBEF(s.MomentumQueue) }},
		{Name: "GRIT-VLP", Aliases: []string{"GRIT"}, Source: "Byun et al., 2022; METHODS.md 3", What: "mini-batches of similar pairs",
			Parts: func(s Scale) negative.Method { return negative.GRITVLP(s.SearchSpace, s.GroupQueue) }},
		{Name: "DiHT", Aliases: []string{"HN-NCE"}, Source: "Radenovic et al., 2023; METHODS.md 6", What: "harder negatives weigh more",
			Parts: func(Scale) negative.Method { return negative.DiHT() }},
		{Name: "SRCL", Source: "Jiang et al., 2023; METHODS.md 5", What: "similar negatives weigh less",
			Parts: func(s Scale) negative.Method { return negative.SRCL(s.Epochs) }, Reference: "InfoNCE"},
		{Name: "MAFA", Source: "Byun et al., 2024; METHODS.md 4", What: "matching negatives become positives, and ITC is smoothed",
			Parts: func(s Scale) negative.Method { return s.smoothed(negative.MAFA(s.SearchSpace, s.GroupQueue)) }, Reference: "Con-D"},
		{Name: "Easy quantile", Source: "FALCON, section 4.1; METHODS.md 14", What: "mini-batches of pairs of low similarity",
			Parts: func(s Scale) negative.Method {
				return negative.Quantile("Easy quantile", s.Easy, s.SearchSpace, s.GroupQueue)
			}},
		{Name: "Hard quantile", Source: "FALCON, section 4.1; METHODS.md 14", What: "mini-batches of similar pairs, but not of the most similar",
			Parts: func(s Scale) negative.Method {
				return negative.Quantile("Hard quantile", s.Hard, s.SearchSpace, s.GroupQueue)
			}},
		{Name: "Progressive-Hardening", Aliases: []string{"Hardening"}, Source: "FALCON, section 4.1; METHODS.md 14",
			What: "mini-batches of pairs that become more similar over training",
			Parts: func(s Scale) negative.Method {
				return negative.ProgressiveQuantile("Progressive-Hardening", s.Soft, 1, s.SearchSpace, s.GroupQueue)
			}},
		{Name: "Progressive-Softening", Aliases: []string{"Softening"}, Source: "FALCON, section 4.1; METHODS.md 14",
			What: "mini-batches of pairs that become less similar over training",
			Parts: func(s Scale) negative.Method {
				return negative.ProgressiveQuantile("Progressive-Softening", 1, s.Soft, s.SearchSpace, s.GroupQueue)
			}},
		{Name: "FALCON", Source: "FALCON; METHODS.md 14", What: "a learned hardness for each anchor",
			Parts: func(s Scale) negative.Method { return negative.FALCON(s.scheduler()) }},
		{Name: "InfoNCE", Aliases: []string{"plain", "SimCLR"}, Source: "METHODS.md 2", What: "one true caption, all others equally wrong",
			Parts: func(Scale) negative.Method { return negative.Plain() }},
		{Name: "Streamed", Aliases: []string{"WebDataset"}, Source: "WebDataset; METHODS.md 2",
			What:  "InfoNCE on pairs in the order of their shards, shuffled by a buffer",
			Parts: func(s Scale) negative.Method { return negative.InStream(s.SearchSpace) }},
		{Name: "S-ITC", Source: "MAFA, section 4.2; METHODS.md 4.2", What: "GRIT-VLP with smoothed labels in the place of consistency",
			Parts: smoothedGRIT},
		{Name: "Con-D", Source: "MAFA, section 4.1; METHODS.md 4.1", What: "S-ITC fine-tuned for retrieval: MAFA's discriminator of connections",
			Parts: smoothedGRIT, Tune: PlainTuning},
		{Name: "MAFA (Oracle)", Aliases: []string{"Oracle MAFA"}, Source: "MAFA, appendix G.5; METHODS.md 4.4", What: "MAFA whose judge is the data's relation",
			Parts: func(s Scale) negative.Method { return s.smoothed(negative.OracleMAFA(s.SearchSpace, s.GroupQueue)) }},
		{Name: "ALBEF++", Source: "SRCL, section 4.3; METHODS.md 5", What: "negatives of a low weight are left out",
			Parts: func(s Scale) negative.Method { return negative.ALBEFPlusPlus(s.Epochs) }, Reference: "InfoNCE"},
		{Name: "SogCLR", Source: "Yuan et al., 2022; METHODS.md 7", What: "negatives of the whole data by a moving average an anchor",
			Parts: Scale.sogCLR},
		{Name: "iSogCLR", Source: "Qiu et al., 2023; METHODS.md 8", What: "SogCLR with a temperature of its own for each anchor",
			Parts: func(s Scale) negative.Method { return s.globally(s.iSogCLR()) }},
		{Name: "FastCLIP-v0", Source: "Wei et al., 2024; METHODS.md 9", What: "moving averages that fade in, and a temperature that learns by them",
			Parts: func(s Scale) negative.Method { return s.globally(s.fastCLIP(0)) }},
		{Name: "FastCLIP-v1", Source: "Wei et al., 2024; METHODS.md 9", What: "moving averages that fade in, at a constant temperature",
			Parts: func(s Scale) negative.Method { return s.globally(s.fastCLIP(1)) }},
		{Name: "FastCLIP-v2", Source: "Wei et al., 2024; METHODS.md 9", What: "moving averages that fade in, and a temperature for each anchor",
			Parts: func(s Scale) negative.Method { return s.globally(s.fastCLIP(2)) }},
		{Name: "FastCLIP-v3", Aliases: []string{"FastCLIP"}, Source: "Wei et al., 2024; METHODS.md 9",
			What:  "moving averages that fade in, and a temperature that learns by a robust loss",
			Parts: func(s Scale) negative.Method { return s.globally(s.fastCLIP(3)) }},
		{Name: "GloFND", Source: "Balmaseda et al., 2025; METHODS.md 10", What: "SogCLR without the negatives above a threshold that each anchor learns",
			Parts: func(s Scale) negative.Method { return s.without(s.thresholds()) }},
		{Name: "FNC", Source: "Balmaseda et al., 2025; METHODS.md 10.2", What: "SogCLR without the most similar negatives of the mini-batch",
			Parts: func(s Scale) negative.Method { return s.without(s.batchQuantile()) }},
		{Name: "SogCLR (Oracle)", Aliases: []string{"Oracle SogCLR"}, Source: "METHODS.md 10.2", What: "SogCLR without the negatives that are false by the data's relation",
			Parts: func(s Scale) negative.Method { return s.without(negative.Exact{Use: s.Global.begin(s.Epochs)}) }},
		{Name: "UNITER", Source: "Chen et al., 2020; METHODS.md 12", What: "the hardest of many retrieved negatives",
			Parts: func(s Scale) negative.Method { return s.retrieved(nil) }},
		{Name: "UNITER+MLM", Source: "TAGS-DC, section 3.2; METHODS.md 12", What: "retrieved negatives, and masked words: TAGS' static generator",
			Parts: func(s Scale) negative.Method { return s.retrieved(s.generator()) }},
		{Name: "TAGS", Source: "TAGS-DC, section 2; METHODS.md 12", What: "retrieved negatives, and such as are written from captions",
			Parts: func(s Scale) negative.Method { return s.retrieved(s.tags()) }},
		{Name: "TAGS-DC", Source: "TAGS-DC; METHODS.md 12", What: "TAGS with word discrimination and word correction",
			Parts: func(s Scale) negative.Method { return s.retrieved(s.tagsDC()) }},
		{Name: "TAGS w/ WM", Source: "TAGS-DC, section 3.2; METHODS.md 12", What: "TAGS that masks words instead of what a scene graph names",
			Parts: func(s Scale) negative.Method {
				t := s.tags()
				t.ByWord = true
				return s.retrieved(t)
			}},
		{Name: "TAGS w/ SG", Source: "TAGS-DC, section 3.2; METHODS.md 12", What: "TAGS whose sentences a frozen model writes", Reference: "UNITER+MLM",
			Parts: func(s Scale) negative.Method {
				t := s.tags()
				t.Static = true
				return s.retrieved(t)
			}},
	}
}

func smoothedGRIT(s Scale) negative.Method {
	return s.smoothed(negative.SmoothedGRIT(s.SearchSpace, s.GroupQueue))
}

// smoothed is a method of S-ITC with the scale's alpha.
func (s Scale) smoothed(m negative.Method) negative.Method {
	if s.Smoothing != 0 {
		m.Contrast = negative.Smoothed{Alpha: s.Smoothing}
	}
	return m
}

// Needs tells what the method takes besides a training run on data: the run of a reference model, its own fine-tuning, or the relation;
// empty for none.
func (m Method) Needs() string {
	if m.Tune != nil {
		return "fine-tuning"
	}
	if m.Parts(Scale{Epochs: 1}).NeedsRelation() {
		return "the relation"
	}
	return m.Reference
}

// named is the method of a name or an alias in any case, names first.
func named(name string) (Method, bool) {
	all := Methods()
	is := func(other string) bool { return strings.EqualFold(other, strings.TrimSpace(name)) }
	i := slices.IndexFunc(all, func(m Method) bool { return is(m.Name) })
	if i < 0 {
		i = slices.IndexFunc(all, func(m Method) bool { return slices.ContainsFunc(m.Aliases, is) })
	}
	if i < 0 {
		return Method{}, false
	}
	return all[i], true
}

// registered is the method of a name that the program itself writes.
func registered(name string) Method {
	m, ok := named(name)
	if !ok {
		panic(fmt.Sprintf("paper: no method %q in the registry", name))
	}
	return m
}
