package karpathy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"vlpx.internal/datasets/content"
)

// judgementFile holds people's judgements of captions written for another image (Hodosh et al., 2013).
const judgementFile = "cross_image_judgements.json.gz"

// A caption is true of an image when the experts' mean score or the crowd's share of "yes" reaches these. The corpus' readme says that
// an expert's 3 of 4 is "almost describes the image with minor mistakes", and that a "yes" may have minor mistakes, too; that the
// mean of the experts and half of the crowd decide is our choice.
const (
	expertMean = 3.0
	crowdShare = 0.5
)

// judgedPair names an image and a caption of another image.
type judgedPair struct {
	Image        string `json:"image"`
	CaptionImage string `json:"caption_image"`
	CaptionIndex int    `json:"caption_index"`
}

// judgements is the content of the file.
type judgements struct {
	Expert []struct {
		judgedPair
		Scores []float64 `json:"scores"`
	} `json:"expert"`
	Crowd []struct {
		judgedPair
		YesFraction float64 `json:"yes_fraction"`
	} `json:"crowd"`
}

// judge reads the folder's judgements, if there are any, into the sets, and digests them. A pair that both groups saw holds when
// either says so.
func (c *Collection) judge(dir string, digest io.Writer) error {
	said, err := content.Open(filepath.Join(dir, judgementFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer said.Close()
	fmt.Fprintln(digest, "judgements")
	all, err := parseJudgements(io.TeeReader(said, digest))
	if err != nil {
		return err
	}
	index := c.places()
	for _, e := range all.Expert {
		sum := 0.0
		for _, score := range e.Scores {
			sum += score
		}
		c.record(index, e.judgedPair, sum/float64(len(e.Scores)) >= expertMean)
	}
	for _, j := range all.Crowd {
		c.record(index, j.judgedPair, j.YesFraction >= crowdShare)
	}
	return nil
}

// parseJudgements reads the whole of a file of judgements.
func parseJudgements(r io.Reader) (*judgements, error) {
	all, decoder := &judgements{}, json.NewDecoder(r)
	if err := decoder.Decode(all); err != nil {
		return nil, content.CutOff("the judgements", err)
	}
	switch _, err := decoder.Token(); {
	case err == nil:
		return nil, errors.New("there is more after the end of the object; the file is damaged, get it again")
	case err != io.EOF:
		return nil, content.CutOff("the end of the judgements", err)
	}
	for i, e := range all.Expert {
		if len(e.Scores) == 0 {
			return nil, fmt.Errorf("expert judgement %d (%q): no scores; give it some or drop it", i, e.Image)
		}
		for _, score := range e.Scores {
			if score < 1 || score > 4 {
				return nil, fmt.Errorf("expert judgement %d (%q): a score of %v; scores are 1 to 4, mend or drop it", i, e.Image, score)
			}
		}
	}
	for i, j := range all.Crowd {
		if j.YesFraction < 0 || j.YesFraction > 1 {
			return nil, fmt.Errorf("crowd judgement %d (%q): a fraction of %v; fractions are 0 to 1, mend or drop it", i, j.Image,
				j.YesFraction)
		}
	}
	return all, nil
}

// place is where an image is.
type place struct {
	set   *Set
	index int
}

// places finds images by their base name, which is what judgements use.
func (c *Collection) places() map[string]place {
	index := map[string]place{}
	for _, split := range c.Ordered {
		for i, p := range c.Sets[split].photos {
			index[path.Base(p.file)] = place{c.Sets[split], i}
		}
	}
	return index
}

// record enters one judgement; one whose image or caption is not in the collection is left out and counted.
func (c *Collection) record(index map[string]place, j judgedPair, holds bool) {
	of, from := index[j.Image], index[j.CaptionImage]
	caption := -1
	if of.set != nil && of.set == from.set {
		caption = slices.Index(from.set.photos[from.index].positions, j.CaptionIndex)
	}
	if caption < 0 {
		c.Omitted.Add(judgementFile, "the images are not in one split, or there is no such caption",
			fmt.Sprintf("%q with caption %d of %q", j.Image, j.CaptionIndex, j.CaptionImage))
		return
	}
	if of.set.judged == nil {
		of.set.judged = map[pair]bool{}
	}
	key := pair{of.index, of.set.first[from.index] + caption}
	of.set.judged[key] = of.set.judged[key] || holds
}
