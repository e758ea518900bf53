package train

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// mining is GRIT-VLP with connections that the data's relation judges.
func mining() negative.Method {
	m := negative.MAFA(8, 16)
	m.Positives = negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}
	return m
}

// trueOf makes so many pairs of a mini-batch of four true: image k of the next text.
func trueOf(n int) []float32 {
	truth := make([]float32, 16)
	for k := range n {
		truth[k*4+(k+1)%4] = 1
	}
	return truth
}

// allTrue is the truth of a mini-batch of four in which every pair is true.
func allTrue() []float32 { return slices.Repeat([]float32{1}, 16) }

// begun is a run before its first step, with that step's input. It has no dropout, so that the room is all that differs between two
// graphs.
func begun(t *testing.T, m negative.Method) (*trainer, field.Values) {
	t.Helper()
	job := smallest(t, m)
	change(&job, withoutDropout)
	tr := must.Get(newTrainer(job))(t)
	t.Cleanup(tr.close)
	must.Do(t, tr.store.InitializeVariables(tr.job.Backend, nil))
	return tr, firstInput(t, tr)
}

// A step with less room than new positives changes no weight and reports how much it needs; with enough room, how much there is to
// spare does not matter.
func TestRoom(t *testing.T) {
	trainers := map[int]*trainer{}
	outs := map[int]Output{}
	for _, room := range []int{2, 4, 8} {
		tr, in := begun(t, mining())
		with(in, field.Truth, allTrue()) // 8 candidates are new positives
		before := variables(t, tr.store, framework.Model)
		out := must.Get(tr.step.Run(in, room))(t)
		if out.Joined != 8 {
			t.Fatalf("got %d new positives, want 8", out.Joined)
		}
		if held := maps.Equal(before, variables(t, tr.store, framework.Model)); held != (room < 8) {
			t.Errorf("room %d: the weights stayed: %v", room, held)
		}
		if room < 8 { // and once more, with room
			out = must.Get(tr.step.Run(in, 8))(t)
		}
		trainers[room], outs[room] = tr, out
	}
	want := variables(t, trainers[8].store, framework.Model)
	for _, room := range []int{2, 4} {
		same(t, fmt.Sprintf("after a step with room %d", room), variables(t, trainers[room].store, framework.Model), want)
		if outs[room].Losses[negative.MLM] != outs[8].Losses[negative.MLM] {
			t.Errorf("got MLM %v, want %v", outs[room].Losses[negative.MLM], outs[8].Losses[negative.MLM])
		}
	}
}

// New positives join MLM's mean; rows to spare do not, whatever their number.
func TestRowsToSpareDoNotCount(t *testing.T) {
	losses := func(n, room int) Output {
		tr, in := begun(t, mining())
		with(in, field.Truth, trueOf(n))
		out := must.Get(tr.step.Run(in, room))(t)
		if out.Joined > room {
			t.Fatalf("%d new positives in %d rows", out.Joined, room)
		}
		return out
	}
	none, spare := losses(0, 1), losses(0, 8)
	if none.Joined != 0 || math.Abs(none.Losses[negative.MLM]-spare.Losses[negative.MLM]) > 1e-6 ||
		math.Abs(none.Losses[negative.ITM]-spare.Losses[negative.ITM]) > 1e-6 {
		t.Errorf("got MLM %v with a row to spare, %v with eight; want the same", none.Losses[negative.MLM], spare.Losses[negative.MLM])
	}
	some, more := losses(4, 4), losses(4, 8)
	if math.Abs(some.Losses[negative.MLM]-more.Losses[negative.MLM]) > 1e-6 {
		t.Errorf("got MLM %v in four rows, %v in eight; want the same", some.Losses[negative.MLM], more.Losses[negative.MLM])
	}
	if some.Joined == 0 || math.Abs(some.Losses[negative.MLM]-none.Losses[negative.MLM]) < 1e-6 {
		t.Errorf("%d new positives, and MLM %v is that without them", some.Joined, some.Losses[negative.MLM])
	}
}

// The room follows the last steps, is the same after a stop, and never changes what a run gives but in its last digits.
func TestRoomFollowsAndResumes(t *testing.T) {
	whole, stopped := smallest(t, mining()), smallest(t, mining())
	want, got := finish(t, whole), finish(t, stopped, 1, 7)
	if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	store, state := saved(t, whole.Dir)
	again, _ := saved(t, stopped.Dir)
	same(t, "stopped", variables(t, again, "/"), variables(t, store, "/"))
	if len(state.Joined) == 0 || len(state.Joined) > roomHistory {
		t.Errorf("got %d remembered steps, want 1 to %d", len(state.Joined), roomHistory)
	}

	tr := &trainer{input: input{job: whole}}
	tr.job.Config.BatchSize = 32
	for _, c := range []struct {
		joined []int
		want   int
	}{{nil, 32}, {[]int{0}, 8}, {[]int{8, 3}, 8}, {[]int{9, 3}, 16}, {[]int{64}, 64}} {
		tr.Joined = c.joined
		if got := tr.room(); got != c.want {
			t.Errorf("after %v new positives: got room %d, want %d", c.joined, got, c.want)
		}
	}
	tr.job.Config.Method.Contrast = negative.Distilled{Alpha: 0.4, Decay: 0.995}
	if got := tr.room(); got != 64 {
		t.Errorf("with momentum: got room %d, want 64", got)
	}
}

// What new positives add to MLM is what their own mini-batches would give: each image with its text, under the masks drawn for them.
func TestNewPositivesInMLM(t *testing.T) {
	const batch = 4
	step := func(m negative.Method, change func(in field.Values)) (field.Values, Output) {
		tr, in := begun(t, m)
		change(in)
		out := must.Get(tr.step.Run(in, 2*batch))(t)
		return in, out
	}
	in, joined := step(mining(), func(in field.Values) {
		with(in, field.Truth, allTrue())                                                                // all candidates are new positives
		with(in, field.Words, slices.Repeat([]int32{objective.Ignored}, len(ints(t, in, field.Words)))) // and the own pairs predict nothing
	})
	ids, images, fresh := ints(t, in, field.Captions), floats(t, in, field.Image), ints(t, in, field.Fresh)
	tokens, pixels := len(ids)/batch, len(images)/batch
	own := []int32{0, 1, 2, 3}
	var sum, count float64
	for side, pairs := range [][2][]int32{{own, ints(t, joined.Values, field.PickedTexts)}, {ints(t, joined.Values, field.PickedImages),
		own}} {
		predicted := 0.0
		_, alone := step(negative.GRITVLP(8, 16), func(plain field.Values) {
			seen, masked, labels := floats(t, plain, field.Image), ints(t, plain, field.Masked), ints(t, plain, field.Words)
			for k := range batch {
				image, text := int(pairs[0][k]), int(pairs[1][k])
				copy(seen[k*pixels:(k+1)*pixels], images[image*pixels:(image+1)*pixels])
				for at := range tokens {
					to, id, code := k*tokens+at, ids[text*tokens+at], fresh[(side*batch+k)*tokens+at]
					masked[to], labels[to] = id, objective.Ignored
					if at == 0 || id == 0 || code == -1 {
						continue
					}
					labels[to] = id
					predicted++
					if code >= 0 {
						masked[to] = code
					}
				}
			}
			with(plain, field.Image, seen)
			with(plain, field.Masked, masked)
			with(plain, field.Words, labels)
		})
		sum, count = sum+alone.Losses[negative.MLM]*predicted, count+predicted
	}
	if want := sum / count; math.Abs(joined.Losses[negative.MLM]-want) > 1e-5*want {
		t.Errorf("got MLM %v, want %v", joined.Losses[negative.MLM], want)
	}
}
