package export

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// Files of an export.
const (
	WeightsName   = "model.safetensors"
	ConfigName    = "config.json"
	TokenizerName = "tokenizer.json"
	VocabName     = "vocab.txt"
	CardName      = "README.md"
	TorchName     = "model.py"
	ImageONNXName = "image.onnx"
	TextONNXName  = "text.onnx"
)

var names = []string{WeightsName, ConfigName, TokenizerName, VocabName, CardName, TorchName, ImageONNXName, TextONNXName}

// preparing is model.py without the framework's part, which stands in the place of torchPlace.
//
//go:embed model.py
var preparing string

const torchPlace = "# MODEL\n"

// Write exports a finished run's model into a folder, whole or not at all. A folder that is there must be empty or an earlier export,
// which is replaced. Encoders of ONNX, if any, lie beside the other files.
func Write(dir string, k run.Kept, m *train.Model, encoders ...ONNX) error {
	of, err := exportOf(k.Run)
	if err != nil {
		return fmt.Errorf("export: run %s: %w", k.ID, err)
	}
	return placed(dir, func(fresh string) error { return fill(fresh, k, m, of, encoders) })
}

// placed has a folder filled beside its place and moves it there.
func placed(dir string, fill func(fresh string) error) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := replaceable(dir); err != nil {
		return err
	}
	elsewhere := func(err error) error {
		return fmt.Errorf("export: writing %s: %w; make room, or choose another folder", dir, err)
	}
	if err := disk.MkdirAll(filepath.Dir(dir)); err != nil {
		return elsewhere(err)
	}
	beside, err := disk.NewPendingDir(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return elsewhere(err)
	}
	defer beside.Discard()
	fresh := filepath.Join(beside.Path, "new")
	if err := disk.Mkdir(fresh); err != nil {
		return elsewhere(err)
	}
	if err := fill(fresh); err != nil {
		return elsewhere(err)
	}
	earlier := filepath.Join(beside.Path, "earlier")
	if err := disk.Rename(dir, earlier); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return elsewhere(err)
	}
	if err := disk.Rename(fresh, dir); err != nil {
		return elsewhere(errors.Join(err, disk.Rename(earlier, dir)))
	}
	if err := disk.SyncDir(filepath.Dir(dir)); err != nil {
		return elsewhere(err)
	}
	return nil
}

// replaceable tells why a folder is not to be replaced: it has something in it that no export has.
func replaceable(dir string) error {
	entries, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("export: %w; choose another folder", err)
	}
	for _, entry := range entries {
		if !slices.Contains(names, entry.Name()) {
			return fmt.Errorf("export: %s has %s, which is of no export; choose a folder that is empty or not there yet", dir, entry.Name())
		}
	}
	content, err := disk.ReadFile(filepath.Join(dir, ConfigName))
	if err == nil {
		_, _, err = parse(content)
	}
	if err != nil {
		return fmt.Errorf("export: %s has files, and no export's %s (%w); choose a folder that is empty or not there yet", dir,
			ConfigName, err)
	}
	return nil
}

// fill writes an export's files into an empty folder.
func fill(dir string, k run.Kept, m *train.Model, of framework.Export, encoders []ONNX) error {
	values, err := m.Weights()
	if err != nil {
		return err
	}
	tensors, err := weights.Values(values).Published(of.Table)
	if err != nil {
		return err
	}
	config, err := describe(k, m, of, tensors)
	if err != nil {
		return err
	}
	settings, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	if err := tensors.Write(filepath.Join(dir, WeightsName)); err != nil {
		return err
	}
	text, err := card(config, k, of, encoders, nil)
	if err != nil {
		return err
	}
	files := map[string][]byte{
		ConfigName: append(settings, '\n'), TokenizerName: m.Tokenizer.JSON(), VocabName: m.Tokenizer.Vocab(), CardName: text,
	}
	if of.Torch != "" {
		files[TorchName] = []byte(strings.Replace(preparing, torchPlace, of.Torch, 1))
	}
	for _, e := range encoders {
		files[e.Name] = e.Model
	}
	for name, content := range files {
		if err := disk.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// describe makes the config.json of a run's model.
func describe(k run.Kept, m *train.Model, of framework.Export, tensors weights.Tensors) (Config, error) {
	learned, err := m.Learned()
	c := Config{of.Settings, inputs(k.Run, m.Tokenizer.MaxWords()), Origin{
		Run: k.ID, Method: k.Result.Method, Seed: k.Run.Train.Seed, Tokenizer: m.Tokenizer.Hash(), Own: tensors.Own(), Learned: learned,
		Settings: k.JSON,
	}}
	if l := k.Run.Locked; l != nil {
		c.VLPX.Locked = &Locked{l.Name(), l.Weights.Hash, l.Side}
	}
	return c, err
}
