package cifar

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/content"
)

// Files of the names of classes: one a line, or the lists "fine" and "coarse" of an object.
const (
	namesOf10   = "batches.meta.txt"
	namesOf100  = "fine_label_names.txt"
	namesOf20   = "coarse_label_names.txt"
	namesInJSON = "meta.json"
)

// classNames are the names of the classes as the folder tells them, with blanks for underscores; "class 7" where it does not.
func classNames(dir string, f format) ([]string, error) {
	files := []string{namesOf10, namesOf100, namesInJSON}
	if f.coarse {
		files = []string{namesOf20, namesInJSON}
	}
	for _, file := range files {
		text, err := content.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names, err := parseNames(file, text, f.coarse)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", file, err)
		case names == nil:
			continue
		case len(names) != f.classes():
			return nil, fmt.Errorf("%s: %d names of the %d classes of %s; give each class one", file, len(names), f.classes(), f.name)
		}
		return names, nil
	}
	names := make([]string, f.classes())
	for class := range names {
		names[class] = fmt.Sprintf("class %d", class)
	}
	return names, nil
}

// parseNames reads a file of names, of coarse classes or not; nil where it has none.
func parseNames(file string, text []byte, coarse bool) ([]string, error) {
	var lines []string
	if file == namesInJSON {
		var meta struct {
			Fine   []string `json:"fine"`
			Coarse []string `json:"coarse"`
		}
		if err := json.Unmarshal(text, &meta); err != nil {
			return nil, fmt.Errorf("%w; mend it, or drop it", err)
		}
		if lines = meta.Fine; coarse {
			lines = meta.Coarse
		}
	} else {
		lines = strings.Split(string(text), "\n")
	}
	var names []string
	for _, line := range lines {
		if name := strings.TrimSpace(strings.ReplaceAll(line, "_", " ")); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}
