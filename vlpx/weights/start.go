package weights

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/vlpx/encoder"
)

// ImageEncoder reads the checkpoint for an image encoder: its variables below the scope in float32, with positions brought to the
// number of the encoder's patches. The report tells what became of the file; what does not fit is an error that names both sizes.
func (s Source) ImageEncoder(v encoder.ViT, scope string) (Values, Report, error) {
	f, family, err := s.open()
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	if family.Vision == nil {
		return nil, Report{}, fmt.Errorf("weights: %s: it looks like %s, which has no image encoder that is a vision transformer", s.Path,
			family.Name)
	}
	values, report, err := f.Import(family.Vision(scope))
	if err != nil {
		return nil, report, err
	}
	if err := report.Check(); err != nil {
		return nil, report, err
	}
	position := scope + "/position/" + encoder.Embedding
	sizes := []size{
		{"the patch's side", side(values.dim(scope+"/patch/"+encoder.Weights, 0) / 3), v.Patch},
		{"the width", values.dim(scope+"/class/"+encoder.Embedding, 1), v.Width},
		{"the width inside its MLP", values.dim(scope+"/layer_0/mlp/in/"+encoder.Weights, 1), v.MLP},
		{"the number of layers", values.layers(scope), v.Layers},
	}
	if err := s.fits("image encoder", sizes); err != nil {
		return nil, report, err
	}
	if family.CLIP != v.CLIP || family.EVA != v.EVA || family.Activation != v.Activation {
		return nil, report, fmt.Errorf("weights: %s: it looks like %s, whose layers are others than the model's; plan the run anew", s.Path,
			family.Name)
	}
	report.miss(values, family.Vision(scope), scope, v.Layers, v.Layers)
	if err := report.Check(); err != nil {
		return nil, report, err
	}
	if values, err = values.as(dtypes.Float32); err != nil {
		return nil, report, err
	}
	if norm := scope + "/norm/"; v.Open && values[norm+encoder.Gain] != nil {
		delete(values, norm+encoder.Gain)
		delete(values, norm+encoder.Offset)
		report.Notes = append(report.Notes, "without its last normalisation, in whose place the model has its own")
	}
	own, grid := side(values.dim(position, 0)-1), v.Image/v.Patch
	bring := Positions
	if v.CLIP && v.Open { // as LAVIS reads a CLIP
		bring = CornerPositions
	}
	if values[position], err = bring(values[position], grid); err != nil {
		return nil, report, fmt.Errorf("%w (%s)", err, s.Path)
	}
	if own != grid {
		report.Notes = append(report.Notes, fmt.Sprintf("positions of %d x %d patches brought to %d x %d", own, own, grid, grid))
	}
	if v.Activation == encoder.Quick {
		report.Notes = append(report.Notes, "QuickGELU, as OpenAI's CLIP has it: a file does not tell")
	}
	report.heads(v.Width, v.Heads)
	return values, report, nil
}

// TextEncoder reads the checkpoint for a text encoder with its fusion layers: its variables below the scope in float32, the first
// layers for text and the following ones for fusion, as ALBEF takes BERT's. What a BERT does not have is drawn: cross-attention, and the
// head for MLM where the file has none.
func (s Source) TextEncoder(b encoder.BERT, scope string) (Values, Report, error) {
	f, family, err := s.open()
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	if family.Text == nil {
		return nil, Report{}, fmt.Errorf("weights: %s: it looks like %s, which has no text encoder that is read", s.Path, family.Name)
	}
	values, report, err := f.Import(family.Text(scope))
	if err != nil {
		return nil, report, err
	}
	if err := report.Check(); err != nil {
		return nil, report, err
	}
	words := scope + "/embeddings/word/" + encoder.Embedding
	sizes := []size{
		{"the width", values.dim(words, 1), b.Width},
		{"the width inside its MLP", values.dim(scope+"/layer_0/mlp/in/"+encoder.Weights, 1), b.MLP},
		{"the number of layers, for text and fusion,", values.layers(scope), b.Layers + b.Fusion},
		{"the number of positions", values.dim(scope+"/embeddings/position/"+encoder.Embedding, 0), b.Positions},
	}
	if err := s.fits("text encoder", sizes); err != nil {
		return nil, report, err
	}
	if has := values.dim(words, 0); has != 0 && has != b.Vocab {
		return nil, report,
			fmt.Errorf("weights: %s: its vocabulary has %d words, the run's %d; give the vocab.txt that belongs to these weights "+
				"with -vocab",
				s.Path, has, b.Vocab)
	}
	report.miss(values, family.Text(scope), scope, b.Layers, b.Layers+b.Fusion)
	drawn := []string{scope + "/layer_#/cross/*", scope + "/mlm/*"}
	if err := report.Check(drawn...); err != nil {
		return nil, report, err
	}
	report.Drawn, report.Missing = report.Missing, nil
	report.heads(b.Width, b.Heads)
	values, err = values.as(dtypes.Float32)
	return values, report, err
}

// Adapt is an image encoder with the layers that the checkpoint's family has: CLIP's are others than timm's. One that is not on this
// machine changes nothing.
func (s Source) Adapt(v encoder.ViT) (encoder.ViT, error) {
	if s.Hash == "" {
		return v, nil
	}
	f, err := Open(s.Path)
	if err != nil {
		return v, err
	}
	defer f.Close()
	family, err := f.Family()
	v.CLIP, v.EVA, v.Activation = family.CLIP, family.EVA, family.Activation
	return v, err
}

// open opens the checkpoint, of which the hash must still be the content's, and tells its family.
func (s Source) open() (*File, Family, error) {
	if s.Hash == "" {
		return nil, Family{}, s.absent()
	}
	hash, err := contentHash(s.Path)
	if err != nil {
		return nil, Family{}, fmt.Errorf("weights: %w", err)
	}
	if hash != s.Hash {
		return nil, Family{}, fmt.Errorf("weights: %s has changed since it was described; ask again", s.Path)
	}
	f, err := Open(s.Path)
	if err != nil {
		return nil, Family{}, err
	}
	family, err := f.Family()
	if err != nil {
		f.Close()
	}
	return f, family, err
}

// size is one of a checkpoint and of the model that starts from it.
type size struct {
	name       string
	has, wants int
}

func (s Source) fits(part string, sizes []size) error {
	var differ []string
	for _, x := range sizes {
		if x.has != 0 && x.has != x.wants { // without the variable it is told as missing
			differ = append(differ, fmt.Sprintf("%s is %d, the model's %d", x.name, x.has, x.wants))
		}
	}
	if differ == nil {
		return nil
	}
	return fmt.Errorf("weights: %s: as %s it does not fit: %s; choose a scale of these sizes, or set them", s.Path, part,
		strings.Join(differ, "; "))
}

// dim is the size of a variable's axis, 0 where there is none.
func (v Values) dim(path string, axis int) int {
	if t := v[path]; t != nil && t.Rank() > axis {
		return t.Shape().Dim(axis)
	}
	return 0
}

// layers counts those below a scope.
func (v Values) layers(scope string) int {
	seen := map[string]bool{}
	for path := range v {
		if below, is := strings.CutPrefix(path, scope+"/layer_"); is {
			number, _, _ := strings.Cut(below, "/")
			seen[number] = true
		}
	}
	return len(seen)
}

// as are the values in another type.
func (v Values) as(dtype dtypes.DType) (Values, error) {
	converted := Values{}
	for path, value := range v {
		var err error
		if converted[path], err = As(value, dtype); err != nil {
			return nil, fmt.Errorf("weights: variable %s: %w", path, err)
		}
	}
	return converted, nil
}

// side is that of a square, 0 where it is none.
func side(area int) int {
	n := int(math.Round(math.Sqrt(float64(max(0, area)))))
	if n*n != area {
		return 0
	}
	return n
}

// miss lists the variables of a table that were not read, of a model with so many layers, those from a first one on with
// cross-attention.
func (r *Report) miss(read Values, table Table, scope string, fusion, layers int) {
	all := map[string]bool{}
	for _, rule := range table.Rules {
		if !strings.Contains(rule.Variable, "#") {
			all[rule.Variable] = true
			continue
		}
		first := 0
		if strings.HasPrefix(rule.Variable, scope+"/layer_#/cross/") {
			first = fusion
		}
		for k := first; k < layers; k++ {
			all[strings.ReplaceAll(rule.Variable, "#", fmt.Sprint(k))] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if read[path] == nil {
			r.Missing = append(r.Missing, path)
		}
	}
}

// heads notes what no file tells.
func (r *Report) heads(width, heads int) {
	if width != 64*heads {
		r.Notes = append(r.Notes,
			fmt.Sprintf("%d attention heads, each %d wide, where DeiT's, BERT's and CLIP's are 64 wide: a file does not tell",
				heads, width/heads))
	}
}

// About tells what a checkpoint is: its family, and what becomes of its tensors when it is read for each of its encoders.
func (s Source) About() ([]string, error) {
	f, family, err := s.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := []string{fmt.Sprintf("%s: %s, %d tensors, hash %s, %s", s.Name, family.Name, len(f.Names()), s.Hash, s.Path)}
	for _, part := range []struct {
		name  string
		table func(string) Table
	}{{"vision", family.Vision}, {"text", family.Text}, {"language", family.Language}, {"whole", family.Whole}} {
		if part.table == nil {
			continue
		}
		table := part.table("/" + part.name)
		values, report, err := f.Import(table)
		if err != nil {
			return nil, err
		}
		layers := values.layers("/" + part.name)
		report.miss(values, table, "/"+part.name, layers/2, layers)
		heading := part.name
		if layers > 0 {
			heading += fmt.Sprintf(", %d layers", layers)
		}
		lines = append(lines, heading)
		for _, line := range report.Lines() {
			lines = append(lines, "  "+line)
		}
	}
	return lines, nil
}
