package run

import (
	"context"
	"fmt"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/regions"
)

// Features are what the run's model reads in the place of pixels of the part of a split that is used, and how to close them: regions, or a
// locked encoder's tokens, which are made where they are not in the store; nil where the model reads pixels.
func (e *Executor) Features(ctx context.Context, r Run, c datasets.Collection, split string) (features loader.Features, close func(),
	err error) {
	r = e.Store.Placed(r)
	tokens, close, err := e.tokens(ctx, r, c, split)
	if err != nil || r.Regions == (regions.Source{}) {
		return tokens, close, err
	}
	set, err := r.Data.split(c, split)
	if err == nil {
		features, err = r.Regions.Open(set, tokens)
	}
	if err != nil {
		close()
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	return features, close, nil
}

// seen tells why the framework cannot read what the run gives it of an image.
func (r Run) seen() error {
	f, none := r.Train.Framework.Framework, r.Regions == (regions.Source{})
	_, regional := f.(framework.Regional)
	switch {
	case none && regional:
		return fmt.Errorf("run: %s reads regions of images, and the run names none; give it boxes of scenes, a folder of files, or a "+
			"locked encoder's grid", f.Name())
	case none:
		return nil
	case !regional:
		return fmt.Errorf("run: regions for %s, which reads none; leave Run.Regions out", f.Name())
	case r.Regions.Grid != (r.Locked != nil):
		return fmt.Errorf("run: regions by a grid and a locked encoder go together; give %s both or neither", f.Name())
	}
	for _, x := range f.Inputs(r.Train.Use()) {
		if want := r.Regions.Shape(); x.Name == field.Image && !slices.Equal(x.Shape.Dimensions[1:], want) {
			return fmt.Errorf("run: %s reads images of shape %v, and regions have %v; make it by WithRegions", f.Name(),
				x.Shape.Dimensions[1:], want)
		}
	}
	return r.Regions.Validate()
}

// unseen tells the images of a set that the model cannot be shown: those that cannot be decoded or, where regions lie in files, those
// without regions.
func (e *Executor) unseen(ctx context.Context, of regions.Source, set datasets.Set) ([]loader.Skip, error) {
	if of.Files == nil {
		return loader.Unreadable(ctx, set, nil)
	}
	files, err := of.Open(set, nil)
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return loader.Unreadable(ctx, set, files)
}
