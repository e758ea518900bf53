package vlpx

import (
	"context"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/lab"
)

// The functions of this file use a trained model: a run of the store by the beginning of its identity, a folder that vlpx export wrote, or
// a published CLIP by the path of its weights. Of the options they read Home, Vocabulary for a published model, and Weights and Regions
// where an export's image encoder or regions are not found.

// Embed embeds pictures and texts, and returns the vectors, which are of unit length; its Write puts them into a .npy or a .safetensors.
// Each of what is a folder of pictures, a picture's file, a .txt with a text a line, or a text.
//
//	e := vlpx.Embed("1f0c", []string{"photos", "a dog on a beach"})
//	e.Write("photos.safetensors")
func Embed(model string, what []string, options ...Options) *lab.Embeddings {
	return must("embed", options, func(ctx context.Context, s cell.Screen, o Options) (*lab.Embeddings, error) {
		e, err := lab.Embed(ctx, model, what, o, func(line string) { s.Say(line) })
		if err == nil {
			s.Say(e.String() + ", by " + e.Model)
		}
		return e, err
	})
}

// Search shows the pictures that words fit best, of a folder or of a .safetensors that Embed's Write has written by the same model, and
// returns all of them in that order: by the cosine, and the nearest again by image-text matching where the model has learned it.
//
//	vlpx.Search("1f0c", "photos", "a dog on a beach")
func Search(model, in, words string, options ...Options) *lab.Found {
	return must("search", options, func(ctx context.Context, s cell.Screen, o Options) (*lab.Found, error) {
		found, err := lab.Search(ctx, model, lab.Searching{In: in, Words: words}, o, func(line string) { s.Say(line) })
		if err != nil {
			return nil, err
		}
		pictures, err := found.Pictures(ctx, lab.FoundShown)
		if err != nil {
			return nil, err
		}
		return found, s.Show(found.Table(lab.FoundShown), pictures)
	})
}

// Audit shows captions of data that may be true of other images, too, which contrastive training would take for negatives, and, where it is
// known which are true, precision and recall. The data are Options.Data, or if that is empty the generated scenes of the model.
//
//	a := vlpx.Audit("1f0c", vlpx.Auditing{Split: "test"}, vlpx.Options{Data: "flickr8k"})
//	a.Write(context.Background(), "candidates.csv", 1000)
func Audit(model string, how Auditing, options ...Options) *lab.Audited {
	return must("audit", options, func(ctx context.Context, s cell.Screen, o Options) (*lab.Audited, error) {
		found, err := lab.Audit(ctx, model, how, o, func(line string) { s.Say(line) })
		if err != nil {
			return nil, err
		}
		gallery, err := found.Gallery(ctx)
		if err != nil {
			return nil, err
		}
		var all []any
		for _, table := range found.Tables(auditShown) {
			all = append(all, table)
		}
		if len(gallery.Rows) > 0 {
			all = append(all, gallery)
		}
		return found, s.Show(all...)
	})
}

// Map estimates how many negatives of data are false, in a mini-batch and among the hardest, shows where the data lie on vlpx/map, and
// returns both. The data are Options.Data, or if that is empty the generated scenes of the model.
//
//	m := vlpx.Map("1f0c", vlpx.Mapping{}, vlpx.Options{Data: "flickr8k"})
//	m.Write("negatives.csv")
func Map(model string, how Mapping, options ...Options) *lab.Mapped {
	return must("map", options, func(ctx context.Context, s cell.Screen, o Options) (*lab.Mapped, error) {
		m, err := lab.Map(ctx, model, how, o, func(line string) { s.Say(line) })
		if err != nil {
			return nil, err
		}
		var all []any
		for _, table := range m.Tables() {
			all = append(all, table)
		}
		if m.Figure != nil {
			all = append(all, m.Figure)
		}
		return m, s.Show(all...)
	})
}

// auditShown is how many candidates Audit shows.
const auditShown = 20

// Score shows how well texts fit a picture's file: the cosine, and image-text matching's probability where the model has learned it.
//
//	vlpx.Score("1f0c", "photos/dog.jpg", []string{"a dog on a beach", "a cat"})
func Score(model, image string, texts []string, options ...Options) *lab.Scores {
	return must("score", options, func(ctx context.Context, s cell.Screen, o Options) (*lab.Scores, error) {
		scores, err := lab.Score(ctx, model, image, texts, o, func(line string) { s.Say(line) })
		if err != nil {
			return nil, err
		}
		return scores, s.Show(scores.Table())
	})
}
