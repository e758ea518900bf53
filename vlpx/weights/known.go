package weights

import "slices"

// Known is a published checkpoint that has a name here.
type Known struct {
	Name    string
	For     string // what it can start: "vision", "text" or both
	What    string
	Size    string // of the file
	Licence string
	// Hub, Revision and File say where it is published: a repository of the Hugging Face hub, a commit or branch, and a file of it.
	Hub, Revision, File string
	// SHA256 is the file's checksum, 64 hexadecimal digits; empty where the one that the hub states for the file is taken.
	SHA256 string
	// Supervised says by what labels it was trained, where it was; Pixels by which statistics an image encoder sees an image: "clip",
	// "imagenet", or "symmetric" for [-1, 1].
	Supervised, Pixels string
	// Folder is its name in a folder of pre-trained models, if it has one there.
	Folder string
}

// known are the checkpoints by their names. A checksum stands here only where it was computed from the file.
var known = []Known{
	{Name: "deit-base", For: "vision", What: "DeiT-B/16, ImageNet-1k, 224 pixels, 86.6M parameters: ALBEF's", Size: "346 MB",
		Licence: "Apache-2.0",
		Hub:     "timm/deit_base_patch16_224.fb_in1k", Revision: "main", File: "model.safetensors", Folder: "deit-base",
		Supervised: "ImageNet's labels", Pixels: "imagenet"},
	{Name: "vit-tiny", For: "vision", What: "ViT-Ti/16, ImageNet-21k and -1k, 224 pixels, 5.7M parameters", Size: "23 MB",
		Licence: "Apache-2.0",
		Hub:     "timm/vit_tiny_patch16_224.augreg_in21k_ft_in1k", Revision: "main", File: "model.safetensors",
		Folder:     "vit-tiny-patch16-224",
		Supervised: "ImageNet's labels", Pixels: "symmetric"},
	{Name: "vit-base-in21k", For: "vision", What: "ViT-B/16, ImageNet-21k, 224 pixels, 86.4M parameters", Size: "346 MB",
		Licence: "Apache-2.0",
		Hub:     "google/vit-base-patch16-224-in21k", Revision: "main", File: "model.safetensors", Folder: "vit-base-in21k",
		Supervised: "ImageNet's labels", Pixels: "symmetric"},
	{Name: "clip-vit-l14", For: "vision", What: "CLIP ViT-L/14, 224 pixels, 303M parameters of 428M", Size: "1.7 GB",
		Licence: "MIT (OpenAI's code)",
		Hub:     "openai/clip-vit-large-patch14", Revision: "main", File: "model.safetensors", Folder: "clip-vit-l14",
		Supervised: "400 million captions from the web", Pixels: "clip"},
	{Name: "bert-base", For: "text", What: "BERT-base, uncased, 12 layers, 110M parameters: ALBEF's", Size: "440 MB", Licence: "Apache-2.0",
		Hub: "google-bert/bert-base-uncased", Revision: "main", File: "model.safetensors", Folder: "bert-base"},
}

// AllKnown lists the checkpoints that have names.
func AllKnown() []Known { return slices.Clone(known) }

// Named is the known checkpoint of a name.
func Named(name string) (Known, bool) {
	i := slices.IndexFunc(known, func(k Known) bool { return k.Name == name })
	if i < 0 {
		return Known{}, false
	}
	return known[i], true
}
