package karpathy

import (
	"io"

	"vlpx.internal/datasets/content"
)

// file is the content of a dataset_*.json, of which only the fields used here are read.
type file struct {
	Dataset string
	Images  []entry
}

// entry is an image of the file.
type entry struct {
	Filename  string `json:"filename"`
	Filepath  string `json:"filepath"`
	Split     string `json:"split"`
	CocoID    int    `json:"cocoid"` // 0 if none
	Sentences []struct {
		Raw   string `json:"raw"`
		AnnID int    `json:"annid"` // 0 if none
	} `json:"sentences"`
}

// parse reads the JSON entry by entry, so that COCO's costs no more memory than its captions and an error names the image.
func parse(r io.Reader) (*file, error) {
	f := &file{}
	object := content.Object{
		Layout: "a dataset file in Karpathy's layout",
		Fields: map[string]func(*content.Object) error{
			"dataset": content.Value("dataset", &f.Dataset),
			"images": content.Each("images", "image", func(_ int, image entry) error {
				f.Images = append(f.Images, image)
				return nil
			}),
		},
		Needs: []string{"images"},
	}
	if err := object.Read(r); err != nil {
		return nil, err
	}
	return f, nil
}
