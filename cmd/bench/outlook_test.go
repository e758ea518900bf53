package bench

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scheduler"
)

// Of 4 million pairs: 8.192 GB of embeddings, as 2 * 256 numbers a pair of 4 bytes; 500,000 pairs for each of 8 workers, 1.024 GB; 142
// search spaces of 28,320, of which a worker has 18; 2,084 of GRIT-VLP's, of which a worker has 261; 46.3 pairs a second.
func TestOutlooks(t *testing.T) {
	of := outlooks([]int{4_000_000, 1_000}, 8, 9, 0.05, 100, map[string]float64{"SogCLR": 8, "GloFND": 32})
	want := map[string][2]float64{
		"embeddings of all pairs, float32 (FALCON)":    {8.192e9, 2.048e6},
		"the same in half precision":                   {4.096e9, 1.024e6},
		"embeddings of its pairs, float32 (FALCON)":    {1.024e9, 256_000},
		"GRIT-VLP's queue":                             {98_304_000, 2.048e6},
		"numbers of samples (GloFND)":                  {128e6, 32_000},
		"FALCON's search spaces, an epoch":             {142, 1},
		"their time":                                   {142 * 9, 9},
		"local search spaces, an epoch (FALCON)":       {18, 1},
		"their time, all workers at once":              {18 * 9, 9},
		"GRIT-VLP's search spaces of 1920, their time": {2084 * 0.05, 0.05},
		"local search spaces of GRIT-VLP, their time":  {261 * 0.05, 0.05},
		"pairs a second for an epoch a day":            {4e6 / 86400, 1e3 / 86400},
		"cores for that":                               {4e4 / 86400, 10. / 86400},
	}
	for _, o := range of {
		if values, is := want[o.What]; is {
			for k, value := range values {
				if got := o.Points[k].Value; math.Abs(got-value) > 1e-9*value {
					t.Errorf("%s at %g: got %v, want %v", o.What, o.Points[k].At, got, value)
				}
			}
			delete(want, o.What)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	result := Result{Costs: []Cost{}, Outlooks: of}
	var text strings.Builder
	if tables := result.Tables(); len(tables) != 2 {
		t.Fatalf("got %d tables, want two", len(tables))
	} else if err := tables[1].Markdown(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 M pairs", "1 K pairs", "8.19 GB", "21m", "each of 8 workers", "on paper"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, text.String())
		}
	}
}

// held is what make keeps in memory, in bytes.
func held(make func() any) float64 {
	before := heap()
	kept := make()
	after := heap()
	runtime.KeepAlive(kept)
	return after - before
}

// heap is what is alive, in bytes. What earlier tests have left goes in several collections, as finalizers and pools let go of it.
func heap() float64 {
	var stats runtime.MemStats
	last, same := uint64(0), 0
	for same < 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		runtime.ReadMemStats(&stats)
		if same++; stats.HeapAlloc < last-last/1000 || stats.HeapAlloc > last+last/1000 {
			same = 0
		}
		last = stats.HeapAlloc
	}
	return float64(last)
}

// What is counted on paper is what is kept: a search space, the embeddings of FALCON's sampler, and its order of an epoch.
func TestOutlookIsKept(t *testing.T) {
	const n, dim = 3000, publishedDim
	image, text := unlike(n)
	got := held(func() any { return scheduler.NewSpace(image, text, dim, publishedQuantiles) })
	runtime.KeepAlive(image)
	runtime.KeepAlive(text)
	if want := float64(scheduler.SpaceBytes(n, dim, publishedQuantiles)); math.Abs(got-want) > 0.03*want {
		t.Errorf("a search space keeps %v bytes, and %v are counted", got, want)
	}
	const pairs = 50_000
	got = held(func() any {
		sampler, err := negative.Scheduled{SearchSpace: 3200}.Start(negative.Start{
			Pairs: pairs, BatchSize: 32, Dim: dim, Epochs: 2, Seed: 1, Anchors: []string{negative.ImageAnchors, negative.TextAnchors}})
		if err == nil {
			_, err = sampler.Epoch(0)
		}
		if err != nil {
			t.Fatal(err)
		}
		return sampler
	})
	want := 0.0
	for _, o := range outlooks([]int{pairs}, 1, 0, 0, 1, nil) {
		if strings.HasPrefix(o.What, "embeddings of all pairs") || o.What == "the order of an epoch" {
			want += o.Points[0].Value
		}
	}
	if math.Abs(got-want) > 0.03*want {
		t.Errorf("FALCON's sampler keeps %v bytes, and %v are counted", got, want)
	}
}

// SogCLR keeps u of an image and of a caption; GloFND a threshold of each besides, with Adam's two moments.
func TestBytesPerSample(t *testing.T) {
	for _, of := range []struct {
		method negative.Method
		want   float64
	}{
		{negative.Method{Contrast: negative.SogCLR{Gamma: 0.9}}, 8},
		{negative.Method{Contrast: negative.SogCLR{Gamma: 0.9}, LeftOut: negative.Thresholds{Alpha: 0.01}}, 32},
		{negative.Plain(), 0},
	} {
		if got, err := bytesPerSample(of.method); err != nil || got != of.want {
			t.Errorf("got %v bytes and %v, want %v", got, err, of.want)
		}
	}
}
