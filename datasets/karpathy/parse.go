package karpathy

import (
	"encoding/json"
	"errors"
	"fmt"
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
	decoder := json.NewDecoder(r)
	if err := expect(decoder, json.Delim('{')); err != nil {
		return nil, err
	}
	f, found := &file{}, false
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, content.CutOff("a field's name", err)
		}
		switch key {
		case "dataset":
			if err := decoder.Decode(&f.Dataset); err != nil {
				return nil, content.CutOff(`"dataset"`, err)
			}
		case "images":
			if found {
				return nil, errors.New(`"images" is there twice; keep one`)
			}
			found = true
			if f.Images, err = parseImages(decoder); err != nil {
				return nil, err
			}
		default:
			var other json.RawMessage
			if err := decoder.Decode(&other); err != nil {
				return nil, content.CutOff(fmt.Sprintf("field %q", key), err)
			}
		}
	}
	if err := expect(decoder, json.Delim('}')); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is more after the end of the object; the file is damaged, get it again")
	}
	if !found {
		return nil, errors.New(`no "images"; is this a dataset file in Karpathy's layout?`)
	}
	return f, nil
}

// parseImages reads the list after "images".
func parseImages(decoder *json.Decoder) ([]entry, error) {
	if err := expect(decoder, json.Delim('[')); err != nil {
		return nil, fmt.Errorf(`"images": %w`, err)
	}
	var images []entry
	for decoder.More() {
		var image entry
		if err := decoder.Decode(&image); err != nil {
			return nil, content.CutOff(fmt.Sprintf("image %d", len(images)), err)
		}
		images = append(images, image)
	}
	if err := expect(decoder, json.Delim(']')); err != nil {
		return nil, fmt.Errorf("after image %d: %w", len(images)-1, err)
	}
	return images, nil
}

// expect reads one delimiter.
func expect(decoder *json.Decoder, want json.Delim) error {
	got, err := decoder.Token()
	if err != nil {
		return content.CutOff(fmt.Sprintf("%q", want.String()), err)
	}
	if got != want {
		return fmt.Errorf("%v where %q should be; is this a dataset file in Karpathy's layout?", got, want.String())
	}
	return nil
}
