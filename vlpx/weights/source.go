package weights

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/content"
)

// Source is a published checkpoint. It is plain data: its JSON is part of the identity of a run that uses it.
type Source struct {
	Hash string // of the file's content, 16 hexadecimal digits of its SHA-256; empty for a known one that is not on this machine
	// Name is as it is known, or the name of its file without the ending, and Path where the safetensors file lies, or belongs. They are
	// no part of the identity: the hash is.
	Name string `json:"-"`
	Path string `json:"-"`
}

// Places are where checkpoints lie by their names.
type Places struct {
	Cache string // a folder a name, as Fetch makes them
	Data  string // folders of pre-trained models, such as $VLPX_DATA/pretrained; empty for none
	Hub   string // the cache folder of the hub's own tools; empty for none
}

// Find finds a checkpoint by its name among Known, or by the path of a safetensors file or of a folder that has one. One that is known and
// lies at none of the places has no hash; nothing can be read from it.
func (p Places) Find(nameOrPath string) (Source, error) {
	known, ok := Named(nameOrPath)
	if !ok {
		source, err := Find(nameOrPath)
		if errors.Is(err, fs.ErrNotExist) {
			return Source{}, fmt.Errorf("%w; nor is it a name: vlpx weights lists these", err)
		}
		return source, err
	}
	places := []string{filepath.Join(p.Cache, known.Name)}
	if p.Data != "" {
		places = append(places, filepath.Join(p.Data, known.Folder))
	}
	if p.Hub != "" {
		places = append(places, known.inHub(p.Hub))
	}
	for _, place := range places {
		source, err := Find(place)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errEmpty) {
			continue
		}
		source.Name = known.Name
		return source, err
	}
	return Source{Name: known.Name, Path: filepath.Join(places[0], known.File)}, nil
}

// inHub is where the hub's own tools keep a known checkpoint below their cache folder.
func (k Known) inHub(cache string) string {
	repository := filepath.Join(cache, "models--"+strings.ReplaceAll(k.Hub, "/", "--"))
	commit := k.Revision
	if text, err := os.ReadFile(filepath.Join(repository, "refs", k.Revision)); err == nil {
		commit = strings.TrimSpace(string(text))
	}
	return filepath.Join(repository, "snapshots", commit, k.File)
}

// Recognise finds the known checkpoint at these places that has a hash. Damaged ones are passed over.
func (p Places) Recognise(hash string) (source Source, found bool) {
	for _, known := range known {
		if source, err := p.Find(known.Name); err == nil && source.Hash == hash {
			return source, true
		}
	}
	return Source{Hash: hash}, false
}

// absent tells how to get a known checkpoint that is at none of its places.
func (s Source) absent() error {
	known, _ := Named(s.Name)
	return fmt.Errorf("weights: %s (%s) is not here; fetch it with vlpx weights fetch %s, or put %s of %s at %s", s.Name,
		known.Size, s.Name,
		known.File, known.Hub, s.Path)
}

// errEmpty is that of a folder without a checkpoint.
var errEmpty = errors.New("there is no safetensors file")

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
		switch len(inside) {
		case 0:
			return Source{}, fmt.Errorf("weights: %s: %w", path, errEmpty)
		case 1:
		default:
			return Source{}, fmt.Errorf("weights: %s has %d safetensors files; name one of them", path, len(inside))
		}
		source, err := Find(inside[0])
		source.Name = filepath.Base(path)
		return source, err
	}
	if err := sound(path); err != nil {
		return Source{}, fmt.Errorf("weights: %s: %w", path, err)
	}
	hash, err := contentHash(path)
	if err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	return Source{Hash: hash, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Path: path}, nil
}

func contentHash(path string) (string, error) {
	file, err := content.Regular(path)
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
