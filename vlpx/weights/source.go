package weights

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Source is a published checkpoint on this machine. It is plain data: its JSON is part of the identity of a run that uses it.
type Source struct {
	Hash string // of the file's content, 16 hexadecimal digits of its SHA-256
	// Name is as it is known, or the name of its file without the ending, and Path where the safetensors file lies. They are no part of the
	// identity: the hash is.
	Name string `json:"-"`
	Path string `json:"-"`
}

// Find finds a checkpoint by the path of a safetensors file, or of a folder that has one.
func Find(path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	if info.IsDir() {
		inside, err := filepath.Glob(filepath.Join(path, "*.safetensors"))
		if err != nil {
			return Source{}, fmt.Errorf("weights: %s: %w", path, err)
		}
		if len(inside) != 1 {
			return Source{}, fmt.Errorf("weights: %s has %d safetensors files; name one of them", path, len(inside))
		}
		source, err := Find(inside[0])
		source.Name = filepath.Base(path)
		return source, err
	}
	hash, err := contentHash(path)
	if err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	return Source{Hash: hash, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Path: path}, nil
}

func contentHash(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
