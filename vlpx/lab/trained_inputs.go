package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets/album"
	"vlpx.internal/datasets/content"
)

// inputs are the pictures and texts that arguments name.
type inputs struct {
	pictures []string
	named    map[string]bool // pictures that were named by themselves
	texts    []string
}

// textEnding is that of a file with a text a line.
const textEnding = ".txt"

// readInputs reads arguments: a folder stands for the pictures in it and below it, a picture's file for itself, a .txt for its lines, and
// what is no file and does not look like one is a text.
func readInputs(args []string) (in inputs, err error) {
	in.named = map[string]bool{}
	for _, arg := range args {
		if strings.TrimSpace(arg) == "" {
			return in, errors.New("an empty text; leave it out")
		}
		info, missing := os.Stat(arg)
		switch {
		case missing == nil && info.IsDir():
			below, err := album.Below(arg)
			if err != nil {
				return in, err
			}
			if len(below) == 0 {
				return in, fmt.Errorf("%s has no pictures, whose names end in .jpg, .jpeg, .png or .webp", arg)
			}
			in.pictures = append(in.pictures, below...)
		case missing == nil && strings.EqualFold(filepath.Ext(arg), textEnding):
			lines, err := readLines(arg)
			if err != nil {
				return in, err
			}
			in.texts = append(in.texts, lines...)
		case missing == nil && content.IsPicture(arg):
			in.pictures, in.named[arg] = append(in.pictures, arg), true
		case missing == nil:
			return in, fmt.Errorf("%s is a file, and neither a picture (.jpg, .jpeg, .png, .webp) nor a %s with a text a line; if it is "+
				"meant as a text, write it into a %s", arg, textEnding, textEnding)
		case looksLikeFile(arg):
			return in, missing
		case !errors.Is(missing, fs.ErrNotExist) && !strings.ContainsRune(arg, ' '):
			return in, missing
		default:
			in.texts = append(in.texts, arg)
		}
	}
	return in, nil
}

// looksLikeFile reports whether what is no file was meant as one: one word that ends as a file does, or has a separator.
func looksLikeFile(arg string) bool {
	if strings.ContainsRune(arg, ' ') {
		return false
	}
	return content.IsPicture(arg) || strings.EqualFold(filepath.Ext(arg), textEnding) || strings.ContainsRune(arg, filepath.Separator)
}

// readLines reads the texts of a file, a line each, without empty ones.
func readLines(path string) ([]string, error) {
	text, err := content.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s has no text; write one a line", path)
	}
	return lines, nil
}
