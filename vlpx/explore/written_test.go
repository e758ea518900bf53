package explore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
)

// written is the smallest run of UNITER with TAGS-DC's writing.
func written(t *testing.T) run.Run {
	t.Helper()
	r := smallest(t)
	text := r.Train.Framework.Framework.(albef.Model).Text
	text.Fusion = 0
	r.Regions = regions.Source{Count: 3, Width: 8, Boxes: &regions.Boxes{}}
	r.Train.Framework.Framework = uniter.Model{Text: text, Margin: 0.2}.WithRegions(r.Regions.Count, r.Regions.Width)
	r.Train.Method = negative.Method{
		Name: "TAGS-DC", Matching: negative.Retrieved{Pool: 4, Keep: 2}, Masking: 0.15,
		Writing: negative.TAGS{Masks: 2, Refills: 2, Keep: 1, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 1e-3, WoD: 1e-3, WoC: 1e-3},
	}.WithDefaults()
	r.Tasks = eval.Tasks{eval.Retrieval{Rerank: 2}}
	return r
}

// openWritten trains a run and opens its training split.
func openWritten(t *testing.T, r run.Run) *Explorer {
	t.Helper()
	backend := enginetest.PureGo(t)
	e := &run.Executor{Store: run.OpenStore(t.TempDir()), Backend: backend, Engine: "go"}
	must.Get(e.Run(t.Context(), r))(t)
	x := must.Get(Open(t.Context(), e, r, "train", 40))(t)
	t.Cleanup(x.Close)
	return x
}

var writing = eval.Writing{Masks: 4, Refills: 4, Temperatures: []float64{1}, Rate: 0.3}

// A framework that embeds nothing has no negatives to look at, and writes; telling captions have the most true sentences beside false ones.
func TestWritten(t *testing.T) {
	x := openWritten(t, written(t))
	if x.Embeds() || !x.Writes() || x.Pairs() != 40 {
		t.Errorf("embeds: %v, writes: %v, %d pairs; want an explorer of 40 that writes alone", x.Embeds(), x.Writes(), x.Pairs())
	}
	must.Fail(t, must.Err(x.Negatives(t.Context(), 0, OfImage, 3, nil)), "makes no embeddings", "negatives")
	reports := must.Get(x.InformativeCaptions(t.Context(), writing, 20))(t)
	language, most := datasets.Language(x.set), [2]int{40, 40}
	for k, pair := range reports {
		sheet := must.Get(x.Write(t.Context(), writing, pair))(t)
		var trues, falses int
		for _, s := range sheet.Written {
			if holds, known := language.Judge(x.pairs[pair].Image, s.Text); s.Refused == eval.Passed && known && holds {
				trues++
			} else if s.Refused == eval.Passed && known {
				falses++
			}
		}
		now := [2]int{min(trues, falses), trues}
		if slices.Compare(now[:], most[:]) > 0 || k == 0 && trues == 0 {
			t.Errorf("caption %d: %d true sentences and %d false ones, after %v", k, trues, falses, most)
		}
		most = now
		if x.pairs[pair].Caption != 0 || slices.Contains(reports[:k], pair) {
			t.Errorf("pair %d is no first caption, or there twice", pair)
		}
	}
	if len(reports) != 20 {
		t.Errorf("got %d captions, want 20", len(reports))
	}
	must.Fail(t, must.Err(x.Write(t.Context(), writing, 40)), "its pairs are 0 to 39", "a pair that is not explored")
}

// Only a model that learned to tell replaced words shows what it tells.
func TestWrittenWithoutCorrection(t *testing.T) {
	r := written(t)
	tags := r.Train.Method.Writing.(negative.TAGS)
	tags.WoC = 0
	r.Train.Method.Writing = tags
	sheet, err := openWritten(t, r).Write(t.Context(), writing, 0)
	if err != nil || sheet.Corrects {
		t.Errorf("got %+v (%v), want no correction", sheet, err)
	}
	for _, c := range sheet.Table(3).Columns {
		if c.Name == "corrected" {
			t.Error("a column of corrected sentences")
		}
	}
}

// An ALBEF writes if it learned masked words and matching.
func TestWrites(t *testing.T) {
	x := explorer(t, newAlbum(10, 2))
	for objectives, want := range map[negative.Objectives]bool{
		"": true, negative.Of(negative.ITM, negative.MLM): true, negative.Of(negative.ITC, negative.ITM): false,
		negative.Of(negative.ITC, negative.MLM): false,
	} {
		x.config.Objectives = objectives
		if x.Writes() != want {
			t.Errorf("%q: got %v, want %v", objectives, !want, want)
		}
	}
	x.config.Objectives = negative.Of(negative.ITC)
	must.Fail(t, must.Err(x.Write(t.Context(), writing, 0)), "explore a run with ITM and MLM", "sentences of an ALBEF by ITC")
}

// A table has the hardest sentences, and of the others those that are true though they passed.
func TestSheetShows(t *testing.T) {
	x := openWritten(t, written(t))
	sheet := must.Get(x.Write(t.Context(), writing, 6))(t)
	sheet.Caption, sheet.Score, sheet.True, sheet.Known = "a red disc on snow", 0.75, true, true
	sheet.Written = []eval.WrittenSentence{
		{Text: "a red ring on snow", Masked: []string{"object", "relation"}, Times: 3, Score: 0.875, Known: true,
			Corrected: "a red disc on snow", Replaced: []float64{0, 0.25, 1, 0, 0}},
		{Text: "a red disc on snow", Times: 1, Score: 0.75, True: true, Known: true, Refused: eval.TheCaption,
			Corrected: "a red disc on snow"},
		{Text: "a big disc on snow", Times: 1, Score: 0.5, Refused: eval.Annotated, Corrected: "a blue disc on snow"},
		{Text: "a disc disc on snow", Times: 1, Score: 0.25, Corrected: "a blue disc on snow"},
		{Text: "a small disc on snow", Times: 2, Score: 0.125, True: true, Known: true, Corrected: "a blue disc on snow"},
	}
	table := sheet.Table(2)
	var got []string
	for _, row := range table.Rows {
		got = append(got, fmt.Sprint(row.Name, ": ", row.Cells))
	}
	var text, page, figure bytes.Buffer
	must.Do(t, table.Text(&text, tables.Terminal{}))
	must.Do(t, table.HTML(&page))
	if err := sheet.Pictures().PNG(&figure, 30); err != nil {
		t.Error(err)
	}
	if len(table.Rows) != 4 || table.Rows[3].Name != "5" {
		t.Fatalf("got the rows %q, want the caption, the first two and the fifth", got)
	}
	for _, want := range []string{
		"a red *ring* on snow", "object, relation", "87.5", "12.5", "the caption again", "a *blue* disc on snow", "passed",
		"TAGS-DC, seed 1",
		"Of 8 sentences at a temperature of 1 5 differ", "Of those that passed 1 are true, and so false negatives, and 1 false",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if want := `<span style="background:rgba(255,200,0,0.80)"><u>ring</u></span>`; !strings.Contains(page.String(), want) {
		t.Errorf("no %q in\n%s", want, &page)
	}
	sheet.Judged = false
	if note := sheet.Table(9).Note; !strings.Contains(note, "known of generated scenes alone") ||
		strings.Contains(note, "highest scores are shown") {
		t.Errorf("got the note %q", note)
	}
}
