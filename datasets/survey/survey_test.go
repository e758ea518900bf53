package survey_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/survey"
	"vlpx.internal/internal/test/must"
)

// album is a collection whose images have one colour each; a colour of 0 cannot be read.
type album map[string][]photo

type photo struct {
	colour   uint8
	side     int
	captions []string
}

func (a album) Name() string                         { return "album" }
func (a album) Hash() string                         { return "" }
func (a album) Splits() []string                     { return []string{"train", "test"} }
func (a album) Split(s string) (datasets.Set, error) { return split(a[s]), nil }

type split []photo

func (s split) Name() string            { return "album" }
func (s split) Len() int                { return len(s) }
func (s split) Captions(i int) []string { return s[i].captions }
func (s split) Key(int) string          { return "" }
func (s split) Image(_ context.Context, i int) (image.Image, error) {
	if s[i].colour == 0 {
		return nil, errors.New("photo cut off")
	}
	picture := image.NewGray(image.Rect(0, 0, s[i].side, s[i].side+1))
	picture.SetGray(0, 0, color.Gray{Y: s[i].colour})
	return picture, nil
}

func TestOfCountsWhatIsThere(t *testing.T) {
	all := album{
		"train": {{1, 8, []string{"A dog.", "a dog"}}, {2, 8, []string{"a dog", "a red cat on a mat"}}, {1, 8, nil}, {0, 8, []string{"x"}}},
		"test":  {{2, 8, []string{"a cat"}}, {2, 2, []string{"a cow"}}},
	}
	got := must.Get(survey.Of(t.Context(), all, survey.Limits{Words: 4, Side: 4, Pictures: true}))(t)
	train, test := got[0], got[1]
	if train.Images != 4 || train.Captions != 5 || train.Silent != 1 || train.Long != 1 ||
		train.Words != (survey.Spread{Least: 1, Median: 2, Most: 6}) {
		t.Errorf("got %+v, want 4 images, 5 captions, one silent, one long, 1 to 6 words", train)
	}
	// Three captions of one text stand at two images: each is false once, of 5 captions with 3 other images.
	if want := (survey.Equal{Texts: 1, Captions: 3, Images: 2, Share: 3. / 15}); train.Equal != want {
		t.Errorf("got %+v, want %+v", train.Equal, want)
	}
	if len(train.Unreadable) != 1 || train.Twice != 1 || train.Leaked != 0 || train.Small != 0 {
		t.Errorf("got %+v, want one unreadable, and one twice in this split", train)
	}
	if test.Twice != 1 || test.Leaked != 1 || test.Small != 1 || test.Side != (survey.Spread{Least: 2, Median: 8, Most: 8}) {
		t.Errorf("got %+v, want one from train, and a small one", test)
	}
	if errs := survey.Errors(all, got); len(errs) != 1 || errs[0].Error() != "train: 1 of 4 images cannot be read: photo cut off" {
		t.Errorf("got %v, want the unreadable image told", errs)
	}
}

// The share is that of the exact relation, as far as equal captions tell it: never more, and here something.
func TestEqualCaptionsAreFalseNegativesOfTheRelation(t *testing.T) {
	c := must.Get(scenes.New(scenes.Config{Train: 60, Val: 1, Test: 1, Density: "dbl"}))(t)
	train := must.Get(survey.Of(t.Context(), c, survey.Limits{}))(t)[0]
	density := must.Get(c.Split("train"))(t).(*scenes.Split).Density()
	if s := train.Equal.Share; s <= 0 || s > density || math.IsNaN(s) {
		t.Errorf("got a share of %v, want some, and at most the relation's %v", s, density)
	}
	if !train.Related || train.Classes == 0 || train.Questions == 0 || train.Statements == 0 {
		t.Errorf("got %+v, want all that is known of scenes", train)
	}
}
