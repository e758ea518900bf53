package scale

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/negative"
)

// Settings are all that can be set of a scale, in the order of the groups that one thinks of them in. Every field of Scale has one, or a
// reason among noSettings; those that frameworks have of their own come last.
func Settings() []Settable {
	all := slices.Concat(trainingSettings(), dataSettings(), modelSettings(), methodSettings(), tuningSettings())
	for _, k := range registered {
		all = append(all, k.Settings...)
	}
	return all
}

func trainingSettings() []Settable {
	return []Settable{
		{Name: "framework", Says: "the model and its losses, with what its paper has, which is set before all else; ALBEF if empty",
			Values: frameworkNames(),
			Also:   []string{"model", "backbone", "architecture"}},
		{Name: "epochs", Unit: "epochs", Says: "how often training passes over the pairs",
			Also: []string{"nepochs", "numepochs", "maxepochs"}},
		{Name: "batchsize", Unit: "pairs", Says: "pairs of a mini-batch", Also: []string{"batch", "bs", "minibatch", "minibatchsize"}},
		{Name: "devices", Unit: "devices", Says: "devices of the engine that share each mini-batch in equal parts: batchsize is a " +
			"multiple; see docs/USE.md on GPUs",
			Also: []string{"gpus", "ngpus", "numgpus", "nprocpernode", "dataparallel"}},
		{Name: "chunk", Unit: "pairs", Says: "pairs of a mini-batch that are encoded at once, by cached gradients, where memory has no " +
			"room for more: batchsize is a multiple; 0 for all; see docs/USE.md on GPUs",
			Also: []string{"chunksize", "gradcache", "microbatch"}},
		{Name: "select", Says: "the metric of the validation split by which the best epoch's weights become the model, such as R mean or " +
			"IR@1; empty for the last epoch's", Also: []string{"monitor", "savebest", "bestmetric"}},
		{Name: "patience", Unit: "epochs", Says: "training ends after so many epochs in a row whose metric of select is not better; 0 " +
			"for all epochs", Also: []string{"earlystopping"}},
		{Name: "ema", Unit: "a step", Says: "decay of an exponential moving average of the weights, which is evaluated and becomes the model, " +
			"such as 0.999; 0 for the last weights", Also: []string{"emadecay", "modelema", "averaging"}},
		{Name: "warmstart", Unit: "epochs", Says: "epochs of the run of InfoNCE on clean captions from whose model every method starts, " +
			"in the place of the papers' pre-trained encoders; 0 to draw first weights", Also: []string{"pretrain", "pretrained"}},
		{Name: "warmcosine", Says: "the learning rate of the warm start falls by a cosine of its own, and the method's begins anew; " +
			"otherwise they share one"},
		{Name: "look", Says: "behind a warm start, mini-batches that go by embeddings begin with the warm start's; otherwise their first " +
			"epoch is uniform"},
		{Name: "blockscenes", Says: "each seed has scenes and a warm start of its own, which all methods share; otherwise all seeds share them",
			Also: []string{"blocks", "worlds"}},
		{Name: "schedule.rate", Unit: "a step", Says: "the learning rate after the warm-up, from which it falls; 0 for what rootrate gives",
			Also: []string{"lr", "learningrate", "maxlr", "peaklr", "baselr"}},
		{Name: "schedule.min", Unit: "a step", Says: "the learning rate at which the cosine ends, schedule.rate at most",
			Also: []string{"minlr", "lrmin", "etamin"}},
		{Name: "schedule.warmup", Unit: "a step", Says: "the learning rate of the first iteration, from which it rises; " +
			"schedule.rate at most", Also: []string{"warmuplr"}},
		{Name: "schedule.units", Unit: "steps", Says: "steps in which the learning rate rises, each of schedule.unit iterations; 0 for " +
			"no warm-up",
			Also: []string{"warmup", "warmupsteps"}},
		{Name: "schedule.unit", Unit: "iterations", Says: "iterations of each step of the warm-up",
			Also: []string{"warmup", "warmupiterations"}},
		{Name: "schedule.epochs", Unit: "epochs", Says: "length of the cosine by which the learning rate falls; 0 for what " +
			"cosinetimes gives",
			Also: []string{"tmax"}},
		{Name: "schedule.past", Unit: "epochs", Says: "epochs of the cosine that are over when the run starts, besides those of the " +
			"warm start"},
		{Name: "schedule.smooth",
			Says: "the learning rate moves at every iteration instead of once an epoch, and rises over schedule.ramp"},
		{Name: "schedule.ramp", Unit: "epochs", Says: "length of the warm-up of a smooth learning rate; 0 for what rampshare gives",
			Also: []string{"warmup", "warmupepochs"}},
		{Name: "schedule.linear", Says: "a smooth learning rate falls in a line instead of a cosine"},
		{Name: "cosinetimes", Unit: "of epochs", Says: "length of the learning rate's fall, as a multiple of the epochs of warm start " +
			"and run; 0 for 1"},
		{Name: "rampshare", Unit: "of epochs", Says: "length of the warm-up of a smooth learning rate, as a share of the epochs"},
		{Name: "rootrate", Unit: "a step", Says: "learning rate of a mini-batch of one pair; it grows by the square root of batchsize, " +
			"as in SimCLR"},
		{Name: "optimiser.weightdecay", Says: "AdamW's decay of the weights, as a multiple of the learning rate",
			Also: []string{"weightdecay", "wd"}},
		{Name: "optimiser.beta1", Says: "AdamW's decay of the mean of the gradients"},
		{Name: "optimiser.beta2", Says: "AdamW's decay of the mean of the squared gradients"},
		{Name: "optimiser.epsilon", Says: "what AdamW adds to the root of the mean squared gradient", Also: []string{"eps"}},
		{Name: "optimiser.clipnorm", Says: "the largest norm of the whole gradient, longer ones are shortened; 0 for no limit",
			Also: []string{"gradclip", "clip", "maxnorm"}},
		{Name: "optimiser.sparescalars", Says: "the temperature does not decay, as in CLIP"},
		{Name: "optimiser.temperaturerate", Unit: "a step", Says: "a learning rate for the temperature alone, as in FastCLIP-v3; 0 for " +
			"that of all weights"},
		{Name: "optimiser.layerdecay", Says: "what the learning rate falls by from each layer of a transformer to the one before it, as in " +
			"fine-tuning a published model, such as 0.75; 0 for one rate", Also: []string{"llrd", "layerwisedecay", "layerlrdecay"}},
		{Name: "optimiser.lora", Unit: "rank", Says: "low-rank adapters of the matrices of a transformer's layers learn, and all else is " +
			"frozen, as in fine-tuning a published model, such as 8; 0 for learning all weights", Also: []string{"adapters", "lorarank"}},
		{Name: "lars.trust", Says: "length of a step as a share of the weights' norm by LARS, which takes AdamW's place unless it is " +
			"zero, as in SimCLR"},
		{Name: "lars.momentum", Says: "LARS's momentum", Also: []string{"momentum"}},
		{Name: "lars.weightdecay", Says: "LARS's decay of the weights", Also: []string{"wd"}},
		{Name: "rerank", Unit: "candidates", Says: "nearest candidates that image-text matching re-ranks in retrieval",
			Also: []string{"ktest"}},
	}
}

func dataSettings() []Settable {
	return []Settable{
		{Name: "captionnoise", Unit: "share", Says: "training captions that are replaced by another image's, as in captions from the web",
			Also: []string{"noise", "noiseratio", "noiserate"}},
		{Name: "portion", Unit: "share", Says: "training images that are used, the first ones; 0 for all",
			Also: []string{"fraction", "subset"}},
		{Name: "images", Unit: "images", Says: "images of each split of a folder that are used, the first ones; 0 for all"},
		{Name: "captions", Unit: "captions", Says: "captions of each training image of a folder that are used, the first ones; 0 for all"},
		{Name: "labels", Says: "classes of a folder's images: coarse for the 20 coarse ones of CIFAR-100; empty for its own",
			Values: []string{"", "coarse"}},
		{Name: "scenes.train", Unit: "images", Says: "generated training images"},
		{Name: "scenes.val", Unit: "images", Says: "generated images of the validation split"},
		{Name: "scenes.test", Unit: "images", Says: "generated images of the test split"},
		{Name: "scenes.size", Unit: "pixels", Says: "side of a generated image, 16 to 4096; 0 for image", Also: []string{"resolution"}},
		{Name: "scenes.density", Says: "how many images a caption is true of, from few to many",
			Values: []string{"spec", "quart", "half", "base", "mid", "dbl"}},
		{Name: "scenes.captions", Unit: "captions", Says: "captions of a generated image"},
		{Name: "scenes.traincaptions", Unit: "captions", Says: "captions of a generated training image; 0 for scenes.captions"},
		{Name: "scenes.noise", Unit: "of 1",
			Says: "standard deviation of the pixels' noise, of which a full channel is 1; below 0 for none",
			Also: []string{"pixelnoise", "noise"}},
		{Name: "scenes.bright", Says: "the grounds of generated images are at full brightness instead of half"},
		{Name: "scenes.oneshape", Says: "all objects of a generated image have one shape, which is its class"},
		{Name: "scenes.seed", Says: "the seed of generated images and captions, not that of training"},
		{Name: "scenes.world",
			Says:   "what generated images are made of; second has other shades, and other words for some of what there is",
			Values: []string{"", SecondWorld}},
		{Name: "mincount", Unit: "times", Says: "how often a word stands in the training captions to be in the vocabulary"},
		{Name: "maxvocab", Unit: "words", Says: "words of the vocabulary at most", Also: []string{"vocabsize", "vocab"}},
		{Name: "maxlen", Unit: "tokens", Says: "tokens of a caption at most, with those at its ends",
			Also: []string{"maxlength", "contextlength", "maxtokens"}},
		{Name: "image", Unit: "pixels", Says: "side of an image as the model sees it",
			Also: []string{"imagesize", "imgsize", "imageres", "resolution"}},
		{Name: "augment", Says: "ALBEF's crop, flip and RandAugment of training images; captions of generated ones do not stay true",
			Also: []string{"augmentation"}},
		{Name: "views.crop", Unit: "share", Says: "least and most of the area that an augmented view keeps; [0,0] for all of it"},
		{Name: "views.flip", Says: "an augmented view is mirrored every second time"},
		{Name: "views.greyscale", Unit: "chance", Says: "how often an augmented view loses its colours"},
		{Name: "views.blur.chance", Unit: "chance", Says: "how often an augmented view is blurred"},
		{Name: "views.blur.sigma", Unit: "pixels", Says: "least and most of the blur's standard deviation"},
		{Name: "views.jitter.chance", Unit: "chance", Says: "how often an augmented view's colours are changed"},
		{Name: "views.jitter.brightness", Unit: "share", Says: "how far its brightness is changed"},
		{Name: "views.jitter.contrast", Unit: "share", Says: "how far its contrast is changed"},
		{Name: "views.jitter.saturation", Unit: "share", Says: "how far its saturation is changed"},
		{Name: "views.jitter.hue", Unit: "of the circle", Says: "how far its hue is changed"},
		{Name: "views.randaugment.ops", Unit: "operations", Says: "operations of RandAugment on an augmented view"},
		{Name: "views.randaugment.magnitude", Unit: "of 10", Says: "strength of RandAugment's operations"},
		{Name: "regions.source", Says: "what the regions of an image are: boxes of generated objects, files of -regions, or grid, the " +
			"patches of a locked encoder; empty for what there is", Values: []string{"", Boxes, Files, Grid}},
		{Name: "regions.count", Unit: "regions", Says: "regions of an image at most; 0 for 4, and for 100 of files"},
		{Name: "regions.width", Unit: "features", Says: "features of a region; 0 for 128, and for 2048 of files"},
		{Name: "regions.noise", Unit: "share", Says: "how far the boxes of generated objects are off, of their sides"},
	}
}

func modelSettings() []Settable {
	return []Settable{
		{Name: "temperature", Says: "the temperature of ITC at first, which is learned, by ALBEF between 0.001 and 0.5; unless it is " +
			"set, the published 0.07. Contrasts over the whole data have global.temperature",
			Zero: negative.PublishedTemperature, Also: []string{"tau", "temp", "logitscale"}},
		{Name: "embed", Unit: "numbers", Says: "length of the embeddings that ITC compares",
			Also: []string{"embeddim", "projectiondim", "dim"}},
		{Name: "patch", Unit: "pixels", Says: "side of a patch of the vision transformer, of which image is a multiple",
			Also: []string{"patchsize"}},
		{Name: "visionlayers", Unit: "layers", Says: "layers of the vision transformer", Also: []string{"depth", "layers"}},
		{Name: "textlayers", Unit: "layers", Says: "layers of the text encoder; of UNITER and language models, all",
			Also: []string{"layers"}},
		{Name: "width", Unit: "numbers", Says: "width of the transformers, or of a ResNet's first stage; a multiple of heads",
			Also: []string{"hiddensize", "dim"}},
		{Name: "headwidth", Unit: "numbers", Says: "width of each head of attention, about", Also: []string{"headdim"}},
		{Name: "heads", Unit: "heads", Says: "heads of attention; 0 for as many as are headwidth wide"},
		{Name: "mlptimes", Unit: "of width", Says: "width of the middle of a layer's perceptron, as a multiple of the layer's",
			Also: []string{"mlpratio"}},
		{Name: "mlp", Unit: "numbers", Says: "width of the middle of a layer's perceptron; 0 for mlptimes the width",
			Also: []string{"intermediatesize", "ffn"}},
		{Name: "textwidth", Unit: "numbers", Says: "width of the text encoder; 0 for width"},
		{Name: "textheads", Unit: "heads", Says: "heads of the text encoder; 0 for as many as are as wide as the image encoder's"},
		{Name: "textmlp", Unit: "numbers", Says: "width of the middle of a text layer's perceptron; 0 for the same multiple of the width " +
			"as the image encoder's"},
		{Name: "positions", Unit: "tokens", Says: "tokens that the text encoder has positions for, maxlen at least"},
		{Name: "dropout", Unit: "share", Says: "numbers of the text encoder that training leaves out"},
		{Name: "half", Says: "products are computed in bfloat16", Also: []string{"bf16", "fp16", "amp"}},
		{Name: "recompute", Says: "what lies within the layers of transformers is computed again for the gradient instead of kept: less " +
			"memory, a third more time",
			Also: []string{"checkpointing", "gradientcheckpointing", "remat"}},
		{Name: "fusedattention", Says: "attention of the vision transformer is the engine's own operation, where it has one: with half " +
			"on CUDA. It keeps no weights of attention",
			Also: []string{"flashattention", "flash", "sdpa"}},
		{Name: "meanpool", Says: "an image is embedded by the mean of its tokens instead of the class token"},
		{Name: "bottlenecks", Unit: "blocks", Says: "blocks of each stage of a ResNet, such as [3,4,6,3], by which CLIP and SimCLR see " +
			"images; [] for a vision transformer"},
		{Name: "locked.side", Unit: "patches", Says: "patches a side that a locked image encoder in front of the model gives; 0 where " +
			"none is locked, -1 for all of one of our own"},
		{Name: "locked.epochs", Unit: "epochs", Says: "epochs of the run of CLIP whose image encoder is locked where no published one is " +
			"named; 0 for none"},
		{Name: "locked.pixels", Says: "the statistics by which a published locked encoder sees pixels; empty for a known one's own",
			Values: []string{"", "clip", "imagenet", "symmetric"}},
		{Name: "locked.heads", Unit: "heads", Says: "heads of a published locked encoder; 0 for as many as are 64 wide"},
		{Name: "locked.gigabytes", Unit: "gigabytes", Says: "what the tokens of all locked encoders may take in the store; 0 for 10. It " +
			"changes no numbers"},
	}
}

func methodSettings() []Settable {
	rest := []Settable{
		{Name: "searchbatches", Unit: "mini-batches", Says: "mini-batches of pairs in which hard ones are grouped"},
		{Name: "searchspace", Unit: "pairs", Says: "pairs in which hard ones are grouped into mini-batches, a multiple of batchsize; 0 " +
			"for searchbatches", Also: []string{"m", "space"}},
		{Name: "groupbatches", Unit: "mini-batches", Says: "mini-batches that are collected before they are grouped, to the nearest " +
			"multiple of searchspace"},
		{Name: "groupqueue", Unit: "pairs", Says: "pairs that are collected before they are grouped, a multiple of searchspace; 0 for " +
			"groupbatches",
			Also: []string{"queue", "queuesize"}},
		{Name: "queuebatches", Unit: "mini-batches", Says: "mini-batches in ALBEF's queue of pairs by momentum encoders"},
		{Name: "momentumqueue", Unit: "pairs", Says: "ALBEF's queue of pairs by momentum encoders, a multiple of batchsize; 0 for " +
			"queuebatches", Also: []string{"queue", "queuesize"}},
		{Name: "smoothing", Says: "alpha, the weight of the soft targets of S-ITC and MAFA; 0 for the published .5",
			Also: []string{"labelsmoothing", "alpha", "soft"}},
		{Name: "easy", Unit: "quantile", Says: "hardness of the mini-batches of Easy quantile, 0 to 1"},
		{Name: "hard", Unit: "quantile", Says: "hardness of the mini-batches of Hard quantile, 0 to 1"},
		{Name: "progressive", Unit: "quantile", Says: "hardness that Progressive-Hardening begins with and Progressive-Softening ends " +
			"with, 0 to 1; the other end is 1",
			Also: []string{"soft"}, field: "soft"},
		{Name: "global.temperature", Says: "the constant temperature of SogCLR and FastCLIP-v1, and that of every anchor at first in " +
			"iSogCLR and FastCLIP-v2; 0 for the framework's"},
		{Name: "global.gamma", Unit: "share", Says: "weight of a mini-batch's estimate in the moving averages of SogCLR and iSogCLR"},
		{Name: "global.fading", Unit: "of epochs", Says: "share of the epochs over which FastCLIP's weight of a mini-batch's estimate " +
			"falls from 1 to global.faded"},
		{Name: "global.faded", Unit: "share", Says: "weight of a mini-batch's estimate in FastCLIP's moving averages in the end"},
		{Name: "global.rho", Says: "FastCLIP-v3's rho: how far the robust loss may stray from all negatives alike"},
		{Name: "global.individual.rho", Says: "iSogCLR's rho, the same for an anchor's own temperature"},
		{Name: "global.individual.rate", Unit: "a step", Says: "learning rate of iSogCLR's temperatures"},
		{Name: "global.individual.least", Says: "the lowest temperature of an anchor in iSogCLR"},
		{Name: "global.individual.most", Says: "the highest temperature of an anchor in iSogCLR"},
		{Name: "global.fastclip2.rho", Says: "FastCLIP-v2's rho, for an anchor's own temperature"},
		{Name: "global.fastclip2.rate", Unit: "a step", Says: "learning rate of FastCLIP-v2's temperatures"},
		{Name: "global.alpha", Unit: "share", Says: "negatives of an anchor that GloFND and FNC take for false"},
		{Name: "global.begin", Unit: "of epochs", Says: "share of the epochs after which negatives are left out"},
		{Name: "global.frombatch", Says: "GloFND's thresholds begin with the quantile of their first mini-batch instead of 1"},
		{Name: "writing.pool", Unit: "captions", Says: "retrieved negatives that a model scores for each image, as UNITER and TAGS do"},
		{Name: "writing.hardest", Unit: "captions", Says: "the hardest of the retrieved negatives, that are kept", field: "writing.hard"},
		{Name: "writing.masks", Unit: "maskings", Says: "TAGS' K: how often a caption is masked to write sentences"},
		{Name: "writing.refills", Unit: "sentences", Says: "TAGS' L: how often each masking is filled in"},
		{Name: "writing.keep", Unit: "sentences", Says: "TAGS' m: the hardest sentences of a caption, that are kept"},
		{Name: "writing.rate", Unit: "share", Says: "words of a caption that are masked to write sentences", Also: []string{"maskrate"}},
		{Name: "writing.temperature", Says: "temperature at which masked words are filled in"},
		{Name: "writing.mlm", Says: "weight of TAGS' loss of masked words"},
		{Name: "writing.istm", Says: "weight of TAGS' loss of matching images with written sentences"},
		{Name: "writing.wod", Says: "weight of TAGS-DC's word discrimination"},
		{Name: "writing.woc", Says: "weight of TAGS-DC's word correction"},
		{Name: "writing.further", Unit: "epochs", Says: "epochs of TAGS-DC's second stage, which goes on from the first"},
		{Name: "writing.furtherrate", Unit: "a step", Says: "learning rate of TAGS-DC's second stage"},
	}
	for _, x := range []Settable{ // of negative.Scheduled
		{Name: "searchspace", Unit: "pairs", Says: "FALCON's search space; 0 for searchspace"},
		{Name: "objectives", Says: "the losses by whose improvement FALCON's policy is rewarded, joined by +, such as MLM or ITC+ITM; " +
			"empty for MLM"},
		{Name: "quantiles", Says: "quantiles of an anchor's similarities that FALCON's policy sees"},
		{Name: "hidden", Unit: "numbers", Says: "width of the layers of FALCON's policy"},
		{Name: "blocks", Unit: "blocks", Says: "residual blocks of FALCON's policy"},
		{Name: "rate", Unit: "a step", Says: "learning rate of FALCON's policy, not the model's, which is schedule.rate"},
		{Name: "shared", Says: "FALCON draws one hardness a mini-batch instead of one an anchor"},
		{Name: "baseline", Says: "decay of the running mean that is taken off FALCON's rewards; 0 for none, as the paper's text has it"},
		{Name: "openbeta", field: "open", Says: "the parameters of FALCON's Beta distributions may be below 1, so that a distribution " +
			"may favour both ends"},
		{Name: "rawquantiles", field: "raw", Says: "FALCON's policy sees softmaxed quantiles as they are, not times their number"},
		{Name: "remaining", Says: "quantiles of similarity are taken anew over the unused pairs for each pair of a mini-batch"},
		{Name: "logrank", Says: "what FALCON's policy draws counts orders of magnitude of an entry's rank, not its quantile"},
		{Name: "lookahead", Unit: "mini-batches", Says: "mini-batches that FALCON may build before it knows the last one's reward; 0 as " +
			"in the paper"},
		{Name: "probequantiles", field: "probe", Unit: "quantile", Says: "FALCON measures instead of learning: its mini-batches are " +
			"built at these quantiles in turn, such as [0.5,0.9]; [] to learn"},
	} {
		field := x.field
		if field == "" {
			field = x.Name
		}
		if x.Also = []string{"scheduler." + x.Name}; field != x.Name {
			x.Also = append(x.Also, "scheduler."+field, "falcon."+field)
		}
		x.Name, x.field = "falcon."+x.Name, "scheduler."+field
		rest = append(rest, x)
	}
	return rest
}

// tuningSettings are those of fine-tuning for retrieval.
func tuningSettings() []Settable {
	return append(RegimeSettings("tuning", "fine-tuning for retrieval"), Settable{Name: "tuning.queue", Unit: "pairs",
		Says: "queue of pairs by momentum encoders in fine-tuning for retrieval; 0 for momentumqueue, to the nearest multiple of its " +
			"mini-batch",
		Also: []string{"queuesize"}, field: "tuningqueue"})
}

// RegimeSettings are those of a field of type [Tuning] of that name, the regime of what the words say.
func RegimeSettings(field, of string) []Settable {
	name := func(of string) string { return field + "." + of }
	return []Settable{
		{Name: name("epochs"), Unit: "epochs", Says: "epochs of " + of},
		{Name: name("batchsize"), Unit: "pairs", Says: fmt.Sprintf("mini-batch of %s; 0 for batchsize", of)},
		{Name: name("rate"), Unit: "a step", Says: "learning rate of " + of},
		{Name: name("min"), Unit: "a step",
			Says: fmt.Sprintf("learning rate that %s begins its warm-up with and ends at, its rate at most", of)},
		{Name: name("warmup"), Unit: "iterations", Says: "iterations in which the learning rate rises, of " + of},
	}
}
