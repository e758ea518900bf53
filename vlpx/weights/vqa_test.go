package weights

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// A checkpoint of visual question answering is told from one of retrieval, whose encoders have the same names, and is read as a whole
// without its momentum copy.
func TestVQACheckpoint(t *testing.T) {
	source := must.Get(Find(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "albef_vqa_distill_step",
		"weights.safetensors")))(t)
	whole := must.Get(Read(source.Path, VQA("/model"), VQAMomentum("/momentum")))(t)
	store, momentum := model.NewStore(), 0
	for path, value := range whole {
		if strings.HasPrefix(path, "/momentum") {
			momentum++
			continue
		}
		must.Get(store.CreateVariable(path, value))(t)
	}
	got, report, err := source.Model(store, "/model")
	if err != nil || len(got) != len(whole)-momentum || momentum != len(got) || len(report.Drawn) > 0 {
		t.Fatalf("got %d variables beside %d of the momentum copy, of %d: %v", len(got), momentum, len(whole), err)
	}
	for path, value := range got {
		want, err := As(whole[path], dtypes.Float32)
		if err != nil || !value.Equal(want) {
			t.Errorf("%s: got %s, want %s", path, value, want)
		}
	}
	if about, err := source.About(); err != nil || !strings.Contains(about[0], "ALBEF's visual question answering") {
		t.Errorf("got %q (%v)", about, err)
	}
}
