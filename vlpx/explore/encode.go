package explore

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
)

// encode fills in the embeddings of all images and captions. An image that cannot be decoded takes part as the mean colour, and is
// told in the note of each View.
func (x *Explorer) encode(ctx context.Context) error {
	if x.set.Len() < 2 {
		return fmt.Errorf("explore: %s: %d pairs are those of one image, which has no negatives; explore more",
			x.set.Name(), len(x.pairs))
	}
	dim := x.start.Dim
	for from := 0; from < x.set.Len(); from += x.batch {
		out, err := x.encodeImages(ctx, x.consecutive(from, x.set.Len()))
		if err != nil {
			return err
		}
		x.image = append(x.image, out.Features[:min(x.batch, x.set.Len()-from)*dim]...)
	}
	for from := 0; from < len(x.pairs); from += x.batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		out, err := x.inference.Texts(x.ids(x.consecutive(from, len(x.pairs))))
		if err != nil {
			return err
		}
		x.text = append(x.text, out.Features[:min(x.batch, len(x.pairs)-from)*dim]...)
	}
	return nil
}

// consecutive is a batch of indices below n; the last batch repeats its last index, so that one compiled shape serves all.
func (x *Explorer) consecutive(from, n int) []int {
	batch := make([]int, x.batch)
	for i := range batch {
		batch[i] = min(from+i, n-1)
	}
	return batch
}

func (x *Explorer) encodeImages(ctx context.Context, images []int) (framework.Encoded, error) {
	pixels, skipped, err := loader.Images(ctx, x.set, images, x.config.Transform.Size, x.locked)
	if err != nil {
		return framework.Encoded{}, fmt.Errorf("explore: %s: %w", x.set.Name(), err)
	}
	for _, s := range skipped {
		x.skip(s)
	}
	return x.inference.Images(pixels)
}

// skip notes an image that cannot be decoded.
func (x *Explorer) skip(s loader.Skip) {
	if !slices.Contains(x.unreadable, s.Key) {
		x.unreadable = append(x.unreadable, s.Key)
	}
}

// picture is an image to look at: grey where it cannot be decoded.
func (x *Explorer) picture(ctx context.Context, i int) (image.Image, error) {
	if !slices.Contains(x.unreadable, x.set.Key(i)) {
		return x.set.Image(ctx, i)
	}
	grey := image.NewGray(image.Rect(0, 0, x.config.Transform.Size, x.config.Transform.Size))
	draw.Draw(grey, grey.Bounds(), image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	return grey, nil
}

// ids are the tokens of captions, [pairs, MaxLen].
func (x *Explorer) ids(pairs []int) []int32 {
	var ids []int32
	for _, p := range pairs {
		ids = append(ids, x.model.Tokenizer.EncodeCaption(x.pairs[p].Text(x.set), x.config.MaxLen)...)
	}
	return ids
}

// features are the embeddings of pairs, [pairs, dim] each.
func (x *Explorer) features(pairs []int) (image, text []float32) {
	dim := x.start.Dim
	for _, p := range pairs {
		i := x.pairs[p].Image
		image = append(image, x.image[i*dim:(i+1)*dim]...)
		text = append(text, x.text[p*dim:(p+1)*dim]...)
	}
	return image, text
}
