package train

import (
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// What a training keeps on disk is what was said before it.
func TestSpace(t *testing.T) {
	selecting, _ := selecting(t, 1, 2, 1)
	for name, job := range map[string]Job{
		"InfoNCE": smallest(t, negative.Plain()), "GRIT-VLP": smallest(t, negative.GRITVLP(8, 16)), "ALBEF": smallest(t, negative.ALBEF(8)),
		"CLIP": onCLIP(t, negative.Plain(), false), "selecting": selecting,
	} {
		t.Run(name, func(t *testing.T) {
			want := must.Get(job.Config.Space(job.Backend, len(datasets.Pairs(job.Set))))(t)
			must.Get2(Train(t.Context(), job))(t)
			bytes := int64(0)
			for _, name := range []string{CheckpointName, BestName} {
				if info, err := os.Stat(filepath.Join(job.Dir, name)); err == nil {
					bytes += info.Size()
				}
			}
			t.Logf("%d bytes, %d were said", bytes, want)
			if over := bytes - want; over > want/10 || -over > want/10 {
				t.Errorf("the run keeps %d bytes, and %d were said", bytes, want)
			}
		})
	}
}
