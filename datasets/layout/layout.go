// Package layout opens data by its name: folders, whatever their layout is, and shards. It imports the sources of data that lie in files.
package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/annotated"
	"vlpx.internal/datasets/cifar"
	"vlpx.internal/datasets/hubparquet"
	"vlpx.internal/datasets/imagefolder"
	"vlpx.internal/datasets/judgements"
	"vlpx.internal/datasets/karpathy"
	"vlpx.internal/datasets/webdataset"
)

// Layout is a way in which data lie in a folder.
type Layout struct {
	Name  string   // what a person calls it
	Files string   // what a person puts into the folder
	Signs []string // patterns of files that tell it; one may begin with "{split}/", and end with "/" for folders
	Open  func(dir string) (datasets.Collection, error)
}

// Register adds the layout of a further source, behind those that are known.
func Register(l Layout) { layouts = append(layouts, l) }

// layouts are those that are known; the first one that has a sign in a folder is the folder's.
var layouts = []Layout{
	{
		Name: "Karpathy's layout of COCO and Flickr", Files: "dataset_*.json[.gz] with images/",
		Signs: []string{"dataset_*.json", "dataset_*.json.gz"}, Open: opener(karpathy.Open),
	},
	{
		Name: "VQA v2's", Files: "v2_OpenEnded_mscoco_*_questions.json and v2_mscoco_*_annotations.json with train2014/, val2014/ and " +
			"test2015/",
		Signs: []string{"v2_OpenEnded_mscoco_*_questions.json", "v2_OpenEnded_mscoco_*_questions.json.gz"}, Open: opener(annotated.OpenVQA),
	},
	{
		Name: "NLVR2's", Files: "train.json, dev.json and test1.json with images/train/, dev/ and test1/",
		Signs: []string{"dev.json", "dev.json.gz", "test1.json", "test1.json.gz"}, Open: opener(annotated.OpenNLVR),
	},
	{
		Name: "NoCaps'", Files: "nocaps_val_4500_captions.json with images/",
		Signs: []string{"nocaps_val_*.json", "nocaps_val_*.json.gz", "nocaps_test_*.json", "nocaps_test_*.json.gz"},
		Open:  opener(annotated.OpenNoCaps),
	},
	{
		Name: "shards of WebDataset and img2dataset", Files: "train/*.tar, val/*.tar and test/*.tar",
		Signs: []string{"*.tar", "*.tar.*", "*.tgz", "{split}/*.tar", "{split}/*.tar.*", "{split}/*.tgz"}, Open: opener(webdataset.Open),
	},
	{
		Name: "parquet of the Hugging Face hub", Files: "train-*.parquet, validation-*.parquet and test-*.parquet",
		Signs: []string{"*.parquet", "{split}/*.parquet"}, Open: opener(hubparquet.Open),
	},
	{
		Name: "records of CIFAR-10 or CIFAR-100", Files: "train.bin[.gz] and test.bin[.gz]",
		Signs: []string{"train.bin", "train.bin.gz", "data_batch_*.bin", "data_batch_*.bin.gz"}, Open: opener(cifar.Open),
	},
	{
		Name: "ImageNet's, a folder a class", Files: "train/CLASS/*.jpg, val/CLASS/*.jpg and test/CLASS/*.jpg",
		Signs: []string{"{split}/*/"}, Open: opener(imagefolder.Open),
	},
}

// opener is the function of a source, of its own type, as one of any collection.
func opener[C datasets.Collection](open func(string) (C, error)) func(string) (datasets.Collection, error) {
	return func(dir string) (datasets.Collection, error) {
		c, err := open(dir)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}

// openFolder opens a folder by what lies in it: a dataset_*.json is Karpathy's layout, v2_OpenEnded_mscoco_*_questions.json are VQA v2's, a
// dev.json or test1.json is NLVR2's, nocaps_*.json are NoCaps', tars are shards, *.parquet are
// the hub's, a train.bin or data_batch_1.bin is CIFAR's, and folders in
// train, val or test are classes; the first of these that is there counts. Any other folder is an error, which lists the layouts. Beside
// any of them lies what people judged, judgements*.csv (see package judgements).
func openFolder(dir string) (datasets.Collection, error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if l := of(dir); l != nil {
		c, err := l.Open(dir)
		if err != nil {
			return nil, err
		}
		return judgements.Over(c, dir)
	}
	var known []string
	for _, l := range layouts {
		known = append(known, fmt.Sprintf("%s (%s)", l.Files, l.Name))
	}
	return nil, fmt.Errorf("data: %s has none of the layouts that are known; put into it %s", dir, strings.Join(known, ", or "))
}

// Of says in words which layout a folder has; "" where it has none.
func Of(dir string) string {
	if l := of(dir); l != nil {
		return l.Name
	}
	return ""
}

// of is the layout of a folder; nil where it has none.
func of(dir string) *Layout {
	for k := range layouts {
		if slices.ContainsFunc(layouts[k].Signs, func(sign string) bool { return found(dir, sign) }) {
			return &layouts[k]
		}
	}
	return nil
}

// found tells whether a folder has a file that a sign matches, or a folder where the sign ends in a slash.
func found(dir, sign string) bool {
	places := []string{dir}
	if rest, ok := strings.CutPrefix(sign, "{split}/"); ok {
		places, sign = nil, rest
		for _, split := range []string{"train", "val", "test"} {
			places = append(places, filepath.Join(dir, split))
		}
	}
	sign, folders := strings.CutSuffix(sign, "/")
	for _, place := range places {
		entries, err := os.ReadDir(place)
		if err != nil {
			continue
		}
		for _, e := range entries {
			matches, err := filepath.Match(sign, e.Name())
			if err != nil || !matches {
				continue
			}
			// Both may be links.
			if info, err := os.Stat(filepath.Join(place, e.Name())); err == nil && info.IsDir() == folders {
				return true
			}
		}
	}
	return false
}
