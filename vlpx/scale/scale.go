package scale

import (
	"slices"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Scale is a preset of sizes and of the training regime. Any field can be set by name (see Set). Every method of an artifact runs at the
// same scale.
//
// Sizes are relative to each other: a field that is 0 is derived from others, as its comment says. [Scale.Resolved] works them out.
type Scale struct {
	Name string
	// Framework is the name of the model; ALBEF if empty. Set first, since it changes other settings.
	Framework string

	Scenes   scenes.Config // the generated data; not used for a folder. A Size of 0 is Image
	Images   int           // images of each split of a folder to use, the first ones; 0 for all
	Captions int           // captions of a training image of a folder to use, the first ones; 0 for all
	Labels   string        // classes of a folder's images: "coarse" for the 20 of CIFAR-100; its own if empty
	// Views is how the two views of an image are augmented where the framework contrasts them; its Size is Image.
	Views     transform.Pipeline
	Augment   bool // ALBEF's crop, flip and RandAugment; never on scenes, whose captions they would make false
	MinCount  int  // a word of the corpus vocabulary is seen so often in training
	MaxVocab  int  // ids in the corpus vocabulary at most
	MaxLen    int  // tokens a caption
	Rerank    int  // candidates that image-text matching re-ranks
	BatchSize int
	Devices   int // of the engine that share each mini-batch; 0 is 1
	Chunk     int // pairs that are encoded at once, by cached gradients; 0 for the whole mini-batch
	Epochs    int
	// Select is the metric of the validation split by which the best epoch's weights become the model; empty for the last epoch's. Patience
	// ends training after so many epochs without a better one; 0 for that of all epochs.
	Select   string
	Patience int
	// EMA is the decay a step of an average of the weights, which becomes the model; 0 for none.
	EMA float64
	// WarmStart is the epochs of a run of InfoNCE on clean captions from whose model every method starts, at every seed: it stands for the
	// papers' pre-trained encoders. The two share one cosine of the learning rate. 0 for none: first weights are drawn. A framework that
	// has a Pretraining of its own starts from that.
	WarmStart int
	// WarmCosine gives the warm start a cosine of its own. Look has methods that go by embeddings begin with the warm start's.
	WarmCosine, Look bool
	// BlockScenes gives each seed scenes and a warm start of its own, which all methods share: what varies between seeds is then data, first
	// weights and order together. Without it all seeds share scenes and warm start.
	BlockScenes bool

	// Portion is the share of the training images that is used, the first ones; 0 for all.
	Portion float64
	// CaptionNoise is the share of training captions replaced by another image's, as in captions from the web; unless 0 it
	// takes the place of Scenes.CaptionNoise.
	CaptionNoise float64

	// Locked is the image encoder without gradient in front of the model.
	Locked                   Locked
	Regions                  Regions
	Image, Patch             int // pixels a side
	Width, Embed             int
	HeadWidth                int     // of a head, about
	MLPTimes                 float64 // width of the middle of a layer's perceptron, as a multiple of the layer's
	Heads, MLP               int     // 0 for what HeadWidth and MLPTimes give
	VisionLayers, TextLayers int
	TextWidth                int // of the text encoder; 0 for Width
	TextHeads, TextMLP       int // 0 for as many a width as the image encoder has
	// blocks of each stage of a ResNet, which CLIP and SimCLR see images by then, such as [3,4,6,3]; none for a ViT
	Bottlenecks    []int
	Positions      int // at least MaxLen
	Dropout        float64
	Half           bool    // products in bfloat16
	Recompute      bool    // transformers' activations are computed again for the gradient instead of kept
	FusedAttention bool    // of the vision transformer, where the engine has it
	MeanPool       bool    // of the image's tokens, instead of the class token
	Temperature    float64 // of ITC at first; 0 for the published 0.07

	// SearchBatches is the search space of the grouped samplers, and GroupBatches their queue, about, in mini-batches. QueueBatches is
	// ALBEF's queue of momentum embeddings in mini-batches.
	SearchBatches, GroupBatches, QueueBatches int
	// SearchSpace, GroupQueue and MomentumQueue are the same in pairs; 0 for what the mini-batches give.
	SearchSpace, GroupQueue, MomentumQueue int
	// Smoothing is the alpha of MAFA's S-ITC; 0 for the published code's 0.5.
	Smoothing float64
	// Easy and Hard are the two fixed quantiles of FALCON's table 1; Progressive-Hardening goes from Soft to 1 and
	// Progressive-Softening back. The paper's values are lost in its text: these are ours.
	Easy, Hard, Soft float64
	// Scheduler is FALCON's; its search space is SearchSpace where it names none.
	Scheduler negative.Scheduled
	Global    negative.GlobalSettings
	Writing   negative.WritingSettings

	Optimiser train.AdamW
	LARS      train.LARS // in the place of Optimiser, unless it is zero
	// Schedule is the learning rate. Its Epochs, Ramp and Rate are 0 for what CosineTimes, RampShare and RootRate give. Warmup and Min are
	// Rate at most.
	Schedule    train.Schedule
	CosineTimes float64 // length of the fall, as a multiple of the epochs of warm start and run; 0 for 1
	RampShare   float64 // rise of a smooth learning rate, as a share of the epochs
	RootRate    float64 // learning rate of a mini-batch of one pair; it grows by the square root of the size
	// Tuning is the regime of fine-tuning for retrieval, and TuningQueue its queue of momentum embeddings in pairs; 0 for MomentumQueue.
	Tuning      Tuning
	TuningQueue int

	own map[string]any // what frameworks have of their own, as far as it was set, by their names; never changed, but replaced

	folder      bool // the data is a folder of images instead of generated scenes
	pretraining bool // this is the scale of such a warm start
}

// OfFolder tells whether the data is a folder of images instead of generated scenes.
func (s Scale) OfFolder() bool { return s.folder }

// InPretraining tells whether this is the scale of a warm start with a regime of its own.
func (s Scale) InPretraining() bool { return s.pretraining }

// Linear gives a scale a learning rate that rises over the first tenth of the epochs and falls in a line to almost nothing.
func (s *Scale) Linear(rate float64) {
	s.Schedule, s.RampShare, s.CosineTimes = train.Schedule{Rate: rate, Min: 1e-8, Smooth: true, Linear: true}, 0.1, 0
}

// Scales are the presets by name, for generated scenes.
func Scales() []Scale {
	tiny := Scale{
		Name:     "tiny",
		Scenes:   scenes.Config{Train: 24, Val: 8, Test: 16, Captions: 5, Density: "mid"},
		MinCount: 1, MaxVocab: 1000, MaxLen: 14, Rerank: 8, BatchSize: 8, Devices: 1, Epochs: 3,
		Image: 32, Patch: 16, Width: 32, HeadWidth: 16, MLPTimes: 2, Embed: 32, VisionLayers: 1, TextLayers: 1, Positions: 32,
		MeanPool:      true,
		SearchBatches: 5, GroupBatches: 10, QueueBatches: 8, Easy: 0.2, Hard: 0.9, Soft: 0.8,
		Scheduler: negative.Scheduled{Quantiles: 100, Hidden: 64, Blocks: 2, Rate: 1e-3, Baseline: 0.95},
		Global:    negative.PublishedGlobal(),
		Optimiser: train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
		Schedule:  train.Schedule{Warmup: 1e-4, Rate: 2e-3, Min: 4e-5, Units: 10, Unit: 1},
		Tuning:    Tuning{Epochs: 1, Rate: 4e-4, Min: 4e-5, Warmup: 5},
		Writing:   negative.PublishedWriting(),
	}
	tiny.Writing.Pool, tiny.Writing.Hard, tiny.Writing.Masks, tiny.Writing.Refills, tiny.Writing.Keep = 4, 2, 2, 2, 2
	tiny.Writing.FurtherRate = 4e-5
	// Lambda times the pairs seen is about the published: a run at mini sees a hundredth of them.
	tiny.Writing.ISTM, tiny.Writing.WoD, tiny.Writing.WoC = 0.1, 0.1, 0.1
	// Of scenes one caption in twenty is true of another image, and an anchor is seen too seldom for its threshold to come down from 1.
	tiny.Global.Alpha, tiny.Global.FromBatch = 0.05, true
	mini := tiny
	mini.Name = "mini"
	mini.Scenes = scenes.Config{Train: 10000, Val: 500, Test: 500, Captions: 5, TrainCaptions: 1, Density: "spec"}
	mini.Global.Alpha = 0.0034 // the share of true pairs among those of random images and captions, which GloFND takes for alpha
	mini.Writing.FurtherRate = 2e-5
	mini.Writing.Pool, mini.Writing.Hard, mini.Writing.Masks, mini.Writing.Refills, mini.Writing.Keep = 15, 3, 4, 4, 4
	mini.Rerank, mini.BatchSize, mini.Epochs, mini.WarmStart = 16, 32, 9, 3 // docs/CALIBRATION.md
	mini.WarmCosine, mini.Look, mini.BlockScenes = true, true, true
	mini.Patch = 8
	mini.Width, mini.HeadWidth, mini.Embed = 96, 24, 64
	mini.VisionLayers, mini.TextLayers = 2, 2
	mini.SearchBatches, mini.GroupBatches, mini.QueueBatches = 50, 300, 32
	mini.Scheduler.Hidden, mini.Scheduler.Rate = 128, 3e-4
	mini.Schedule = train.Schedule{Warmup: 1e-5, Rate: 1e-3, Min: 2e-5, Units: 20, Unit: 5}
	mini.Tuning = Tuning{Epochs: 2, Rate: 2e-4, Min: 2e-5, Warmup: 20}

	small := mini
	small.Name = "small"
	small.Scenes = scenes.Config{Train: 100000, Val: 1000, Test: 1000, Captions: 5, TrainCaptions: 1, Density: "spec"}
	small.Writing.Pool, small.Writing.Hard, small.Writing.Masks, small.Writing.Refills, small.Writing.Keep = 63, 15, 8, 8, 15
	small.Rerank, small.BatchSize, small.MaxLen = 64, 96, 25
	small.Epochs, small.WarmStart = 16, 4
	small.MinCount, small.MaxVocab, small.Positions = 3, 10000, 64
	small.Image, small.Patch = 128, 16
	small.Width, small.HeadWidth, small.MLPTimes, small.Embed = 384, 64, 4, 256
	small.VisionLayers, small.TextLayers = 12, 3
	small.SearchBatches, small.GroupBatches, small.QueueBatches = 50, 500, 168
	small.Scheduler.Hidden, small.Scheduler.Rate, small.Scheduler.Lookahead = 256, 1e-4, 2
	small.Half = true
	small.Schedule = train.Schedule{Warmup: 1e-5, Rate: 3e-4, Min: 1e-5, Units: 20, Unit: 50}
	small.Tuning = Tuning{Epochs: 4, Rate: 5e-5, Min: 5e-6, Warmup: 100}

	paper := small
	paper.Name = "paper"
	paper.Augment, paper.Dropout, paper.MeanPool = true, 0.1, false
	paper.Epochs, paper.WarmStart = 20, 0
	paper.Scenes = scenes.Config{Train: 113287, Val: 5000, Test: 5000, Captions: 5, Density: "spec"}
	paper.Image, paper.Embed, paper.Positions = 256, 256, 512
	paper.Width, paper.TextLayers = 768, 6
	paper.Rerank = 256
	paper.SearchBatches, paper.GroupBatches, paper.QueueBatches = 59, 295, 682
	paper.Global, paper.Writing = negative.PublishedGlobal(), negative.PublishedWriting()
	paper.Optimiser = train.AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.02}
	paper.Schedule, paper.CosineTimes = train.Schedule{Warmup: 1e-5, Rate: 1e-4, Min: 1e-5, Units: 20, Unit: 100}, 1.5
	paper.Tuning = Tuning{Epochs: 5, BatchSize: 256, Rate: 1e-5, Min: 1e-6}
	return []Scale{tiny, mini, small, paper}
}

// ScaleNames lists the presets, smallest first.
func ScaleNames() []string {
	var names []string
	for _, s := range Scales() {
		names = append(names, s.Name)
	}
	return names
}

// Preset returns a scale by name, for generated scenes or for a folder of photographs. An unknown name is an error that
// suggests the nearest.
func Preset(name string, folder bool) (Scale, error) {
	i := slices.IndexFunc(Scales(), func(s Scale) bool { return s.Name == name })
	if i < 0 {
		return Scale{}, Unknown("scale", name, ScaleNames())
	}
	s := Scales()[i]
	s.folder = folder
	if !folder {
		s.Augment = false
		return s, nil
	}
	s.Scheduler.Lookahead = 2 // photographs take time to decode
	s.WarmStart, s.BlockScenes = 0, false
	s.Global.Alpha = negative.PublishedGlobal().Alpha
	switch s.Name {
	case "tiny":
		s.Images, s.MaxVocab, s.MaxLen = 32, 300, 16
	case "mini":
		s.Captions, s.MinCount, s.MaxVocab, s.MaxLen, s.Rerank = 2, 4, 1000, 16, 8
		s.Image, s.Patch, s.Epochs = 64, 16, 3
		s.SearchBatches, s.GroupBatches = 60, 360
	case "small":
		s.Epochs = 10
	}
	return s, nil
}

// Runs are the runs of a method on data at this scale, one a seed. vocab is the size of the vocabulary that the data gives.
func (s Scale) Runs(data run.Data, vocabulary run.Vocabulary, vocab int, m negative.Method, seeds []uint64) []run.Run {
	pixels := transform.Pipeline{Size: s.Image}
	if s.Augment {
		pixels = transform.ALBEF(s.Image)
	}
	if s.Views != (transform.Pipeline{}) {
		pixels = s.Views
		pixels.Size = s.Image
	}
	s = s.Resolved()
	optimiser := s.Optimiser
	if s.LARS != (train.LARS{}) {
		// What is AdamW's alone is refused where it was set, and not left out in silence.
		optimiser = train.AdamW{LayerDecay: optimiser.LayerDecay, LoRA: optimiser.LoRA}
	}
	schedule := s.Schedule
	schedule.Past = s.past()
	devices := s.Devices
	if devices == 1 {
		devices = 0 // the same run
	}
	var runs []run.Run
	for _, seed := range seeds {
		runs = append(runs, run.Run{
			Data: data, Vocabulary: vocabulary, Tasks: eval.Tasks{eval.UsualTask(s.Rerank)},
			Train: train.Config{
				Framework: framework.Choice{Framework: s.Model(vocab)}, Method: m.WithDefaults(), BatchSize: s.BatchSize, Epochs: s.Epochs,
				MaxLen:    s.MaxLen,
				Transform: pixels, Optimiser: optimiser, LARS: s.LARS, Schedule: schedule, Seed: seed, Devices: devices,
				Chunk: s.Chunk, Select: s.Select, Patience: s.Patience, EMA: s.EMA,
			},
		})
	}
	return runs
}
