package vlpx

import (
	"context"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/negative"
)

// Bench is an ablation bench: a form to compose a method from parts, to set what they can be set to, to train it while its curves are
// drawn, to stop it, which keeps a checkpoint, and to compare all that was trained, each with the plain method. The cell ends with the
// button "finish", or an interrupt. Methods of Options.Own are compared, too. Each composition is a run in the store, so that what
// was trained once is there at once.
//
// Where no person can press a button, as when the notebook is executed headlessly, it trains and compares the plain method and
// GRIT-VLP's parts, and ends.
func Bench(options ...Options) *Report { return must("bench", options, lab.Bench) }

// Explore shows the negatives of single anchors as a method's model sees them, trained first if it is not in the store: which of them are
// false by the exact relation or by people, and what each method, of Options.Methods or a usual choice, and of Options.Own, would do with
// them. The model is the first seed's. Beside an image it shows the sentences that the model writes from its caption, if it fills in masked
// words: which of them pass TAGS-DC's filter, which are true of the image, and, of a model that learned it, which words it takes for
// replaced ones. Of a framework that embeds nothing, such as UNITER, these are all. A form chooses the anchor; where there is none, the
// most telling anchor of each side is shown, or the two most telling captions.
//
// Of generated scenes the training split is explored, of a folder the test split, whose pairs people may have judged.
func Explore(model string, options ...Options) {
	must("explore", options, func(ctx context.Context, s cell.Screen, o Options) (none any, err error) {
		return none, lab.Explore(ctx, s, model, o)
	})
}

// Benchmark measures how fast training is here and shows it: a step's forward pass, its backward pass and the whole of it, in turn with the
// engine's matrix product, the loader, the sampler, evaluation and writing. It trains nothing and keeps nothing.
func Benchmark(of Speed, options ...Options) bench.Result {
	return must("benchmark", options, func(ctx context.Context, s cell.Screen, o Options) (bench.Result, error) {
		block := s.Block()
		result, err := lab.MeasureSpeedInProgram(ctx, of, o, func(line string) { block.Head(line) })
		block.Erase()
		if err != nil {
			return result, err
		}
		for _, table := range result.Tables() {
			if err := s.Show(table); err != nil {
				return result, err
			}
		}
		return result, nil
	})
}

// ShowSpeed shows the whole steps of what vlpx bench -json has written into files in one table.
func ShowSpeed(paths []string, options ...Options) []bench.Result {
	return must("show speed", options, func(_ context.Context, s cell.Screen, _ Options) ([]bench.Result, error) {
		results, err := lab.ReadSpeed(paths)
		if err != nil {
			return nil, err
		}
		return results, s.Show(bench.Together(results))
	})
}

// Try shows what a contrast makes of a few embeddings, a row a pair of an image and its caption: the loss, its gradients, similarities, and
// the numbers that it reports. It trains nothing. The embeddings are normalised first; the temperature is that of the options' scale.
func Try(contrast negative.Contrast, image, text [][]float32, options ...Options) *lab.Trial {
	return shown("try", options, func(_ context.Context, o Options) (*lab.Trial, error) { return lab.Try(contrast, image, text, o) })
}
