package lab

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomlx/compute"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/export"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/watchdog"
	"vlpx.internal/vlpx/weights"
)

// Export writes a finished run's model into a folder, as package export has it, where asked with its encoders as models of ONNX. The run is
// named by its identity or the beginning of it.
func Export(id, dir, home string, onnx bool) (run.Kept, error) {
	return exporting(id, home, func(backend compute.Backend, kept run.Kept, model *train.Model) (err error) {
		var encoders []export.ONNX
		if onnx {
			if encoders, err = export.Encoders(backend, kept, model); err != nil {
				return err
			}
		}
		return export.Write(dir, kept, model, encoders...)
	})
}

// ExportHub is Export for transformers (see [export.WriteHub]).
func ExportHub(id, dir, home string) (run.Kept, error) {
	return exporting(id, home, func(_ compute.Backend, kept run.Kept, model *train.Model) error {
		return export.WriteHub(dir, kept, model)
	})
}

// exporting has the model of a finished run written.
func exporting(id, home string, write func(compute.Backend, run.Kept, *train.Model) error) (run.Kept, error) {
	store, err := OpenStore(home)
	if err != nil {
		return run.Kept{}, err
	}
	kept, err := store.finished(id)
	if err != nil {
		return run.Kept{}, err
	}
	return kept, onEngine(func(backend compute.Backend, _ string) error {
		model, err := store.model(backend, kept)
		if err != nil {
			return err
		}
		defer model.Close()
		return write(backend, kept, model)
	})
}

// EvaluateExport measures an exported model on a split of the data that it was trained on, by the tasks of its run where none are named: on
// the same engine as before, to the same numbers. Of the options it reads Data, where that was not generated, Regions, where these lie in
// files, Weights, where the image encoder is a locked one that has no name, and Home, where what that makes of images is kept.
func EvaluateExport(ctx context.Context, dir, split string, o Options, tasks ...eval.Task) (*export.Folder, map[string]float64, error) {
	home, err := run.Home(o.Home)
	if err != nil {
		return nil, nil, err
	}
	folder, err := readExport(dir, home, o)
	if err != nil {
		return nil, nil, err
	}
	if o, err = o.Fetched(ctx); err != nil {
		return nil, nil, err
	}
	if err := locate(&folder.Run.Data, o); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	ctx, end := watchdog.Work(ctx, o.silence, home, o.Say, dir+": measuring it has not moved on")
	defer end()
	var metrics map[string]float64
	err = onEngine(func(backend compute.Backend, name string) error {
		model, err := folder.Model(backend)
		if err != nil {
			return err
		}
		defer model.Close()
		executor := run.Executor{Store: run.OpenStore(home), Backend: backend, Engine: name}
		metrics, err = executor.Measure(ctx, folder.Run, model, split, tasks...)
		return err
	})
	return folder, metrics, err
}

// nameCheckpoints finds the names of the published weights that a run knows by their hashes; one that has none keeps none.
func nameCheckpoints(r *run.Run, places weights.Places) {
	sources := []*weights.Source{r.Weights.Vision, r.Weights.Text, r.Weights.Model, r.Weights.Words}
	if r.Locked != nil && r.Locked.Trained == nil {
		sources = append(sources, &r.Locked.Weights)
	}
	for _, source := range sources {
		if source != nil {
			*source, _ = places.Recognise(source.Hash)
		}
	}
}

// locateEncoder says where a locked encoder's checkpoint lies: where the given weights say, else among the known ones.
func locateEncoder(of *weights.Source, given []string, places weights.Places) error {
	const how = "say with -weights vision=FILE where the file lies"
	if len(given) == 0 {
		source, found := places.Recognise(of.Hash)
		if !found {
			return fmt.Errorf("the model reads the tokens of a frozen image encoder with the hash %s, which is none of the known ones "+
				"that are "+
				"here; %s", of.Hash, how)
		}
		*of = source
		return nil
	}
	name, isVision := strings.CutPrefix(given[0], "vision=")
	if !isVision || len(given) > 1 {
		return fmt.Errorf("weights %s: of an exported model only the frozen image encoder is not in its folder; %s",
			strings.Join(given, ","),
			how)
	}
	source, err := places.Find(name)
	if err == nil && source.Hash != of.Hash {
		err = fmt.Errorf("the model reads the tokens of a frozen image encoder with the hash %s, and %s has %q; %s", of.Hash, name,
			source.Hash,
			how)
	}
	*of = source
	return err
}

// locateRegions says where the files of regions lie that a model reads, and whether those are the same.
func locateRegions(of *regions.Files, dir string) error {
	if dir == "" {
		return fmt.Errorf("the model reads regions of images in files with the hash %s; say with -regions in which folder those lie",
			of.Hash)
	}
	here, err := regions.Folder(dir)
	if err == nil && here.Hash != of.Hash {
		err = fmt.Errorf("the model reads regions of images in files with the hash %s, and those of %s have %s; name the folder "+
			"that it was "+
			"trained with", of.Hash, dir, here.Hash)
	}
	of.Dir = here.Dir
	return err
}

// locate says where a run's data lie, and whether those are the same.
func locate(of *run.Data, o Options) error {
	place, err := o.folder(o.Data)
	if err != nil {
		return err
	}
	var here run.Data
	switch {
	case of.Scenes != nil && place == "":
		here, err = run.ScenesData(*of.Scenes)
	case of.Scenes != nil:
		return fmt.Errorf("the model is of generated scenes; leave out -data")
	case place == "":
		return fmt.Errorf("the model is of %s; say with -data in which folder that lies", of.Name)
	default:
		here, err = run.FolderData(place)
	}
	if err != nil {
		return err
	}
	if here.Hash != of.Hash {
		return fmt.Errorf("the model is of %s with the hash %s, and these data have %s; measure it on the data it was trained on", of.Name,
			of.Hash, here.Hash)
	}
	of.Dir = here.Dir
	return nil
}
