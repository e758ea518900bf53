package tensorboard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/train"
)

// read is an event as the test's own reader finds it.
type read struct {
	time    float64
	step    int64
	version string
	values  map[string]float32
}

// readEvents reads a file of events, checksums and all, by the definitions of TFRecord and of the messages.
func readEvents(text []byte) (all []read, err error) {
	sum := func(data []byte) uint32 {
		x := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		return uint32((uint64(x)>>15 | uint64(x)<<17&0xffffffff) + 0xa282ead8)
	}
	for len(text) > 0 {
		if len(text) < 12 {
			return nil, fmt.Errorf("%d bytes at the end", len(text))
		}
		n := binary.LittleEndian.Uint64(text)
		if got := binary.LittleEndian.Uint32(text[8:]); got != sum(text[:8]) {
			return nil, fmt.Errorf("event %d: the length's checksum is %x", len(all), got)
		}
		if uint64(len(text)) < 16+n {
			return nil, fmt.Errorf("event %d is cut off", len(all))
		}
		data := text[12 : 12+n]
		if got := binary.LittleEndian.Uint32(text[12+n:]); got != sum(data) {
			return nil, fmt.Errorf("event %d: its checksum is %x", len(all), got)
		}
		text = text[16+n:]
		e := read{values: map[string]float32{}}
		err := fields(data, func(number protowire.Number, fixed uint64, content []byte) error {
			switch number {
			case 1:
				e.time = math.Float64frombits(fixed)
			case 2:
				e.step = int64(fixed)
			case 3:
				e.version = string(content)
			case 5:
				return fields(content, func(number protowire.Number, _ uint64, content []byte) error {
					var tag string
					var value float32
					if number != 1 {
						return fmt.Errorf("field %d of a summary", number)
					}
					err := fields(content, func(number protowire.Number, fixed uint64, content []byte) error {
						switch number {
						case 1:
							tag = string(content)
						case 2:
							value = math.Float32frombits(uint32(fixed))
						}
						return nil
					})
					e.values[tag] = value
					return err
				})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// fields walks the fields of a message.
func fields(data []byte, do func(number protowire.Number, fixed uint64, content []byte) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var fixed uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			fixed, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			fixed, n = protowire.ConsumeFixed64(data)
		case protowire.Fixed32Type:
			var narrow uint32
			narrow, n = protowire.ConsumeFixed32(data)
			fixed = uint64(narrow)
		case protowire.BytesType:
			content, n = protowire.ConsumeBytes(data)
		default:
			return fmt.Errorf("field %d of kind %d", number, kind)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := do(number, fixed, content); err != nil {
			return err
		}
	}
	return nil
}

// curves are of two epochs with 15 steps each and a third one that is at its second point.
func curves() train.Curves {
	var c train.Curves
	for epoch := range 3 {
		for _, step := range []int{0, 10} {
			c.Points = append(c.Points, train.Point{Epoch: epoch, Step: step, Rate: 1e-3,
				Losses:       train.Losses{"ITC": float64(10*epoch + step)},
				GradientNorm: 2, Temperature: .07, Numbers: field.Numbers{{Name: "margin", Sum: 3, Of: 2}, {Name: "of nothing"}}})
		}
		if epoch < 2 {
			c.Epochs = append(c.Epochs, train.Record{Epoch: epoch, Steps: 15, Losses: train.Losses{"ITC": float64(epoch) + .5},
				False: train.FalseNegatives{Batch: 8, BatchTrue: 2}, Metrics: map[string]float64{"IR@1": float64(20 + epoch)}})
		}
	}
	return c
}

// What is written is read back: every point at its step over all epochs, every epoch at its end.
func TestReadBack(t *testing.T) {
	dir := t.TempDir()
	l := must.Get(Open(dir))(t)
	at := time.Unix(1700000000, 5e8)
	must.Do(t, l.Update("A/B, seed 1", curves(), at))
	text := must.Get(os.ReadFile(filepath.Join(dir, "A-B, seed 1", fileName)))(t)
	// As TensorFlow's own writer begins every file: 24 bytes, their checksum, and the tag of the time.
	if want := []byte("\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t"); !bytes.HasPrefix(text, want) {
		t.Errorf("the file begins with %q, want %q", text[:len(want)], want)
	}
	events := must.Get(readEvents(text))(t)
	if events[0].version != "brain.Event:2" {
		t.Errorf("got version %q", events[0].version)
	}
	var steps []int64
	for _, e := range events[1:] {
		if steps = append(steps, e.step); e.time != 1700000000.5 {
			t.Errorf("step %d is of %f", e.step, e.time)
		}
	}
	if want := []int64{0, 10, 15, 15, 25, 30, 30, 40}; !slices.Equal(steps, want) {
		t.Errorf("got steps %v, want %v", steps, want)
	}
	point := map[string]float32{"loss/ITC": 20, "step/learning rate": 1e-3, "step/gradient norm": 2, "step/temperature": .07,
		"reported/margin": 1.5}
	if got := events[5].values; !reflect.DeepEqual(got, point) {
		t.Errorf("the second point of the second epoch: got %v, want %v", got, point)
	}
	epoch := map[string]float32{"epoch loss/ITC": 1.5, "epoch/FN in batch": 25, "validation/IR@1": 21}
	if got := events[6].values; !reflect.DeepEqual(got, epoch) {
		t.Errorf("the second epoch: got %v, want %v", got, epoch)
	}
}

// A file that grows with its curves has in the end what one has that is written at once, also where the run went back to a checkpoint.
func TestGrows(t *testing.T) {
	whole := curves()
	at := time.Unix(1700000000, 0)
	files := map[string][]byte{}
	for name, updates := range map[string][]train.Curves{
		"once": {whole},
		"grown": {{}, {Points: whole.Points[:1]}, {Points: whole.Points[:2]}, {Points: whole.Points[:2], Epochs: whole.Epochs[:1]},
			{Points: whole.Points[:5], Epochs: whole.Epochs}, whole, whole},
		"back": {{Points: whole.Points[:4], Epochs: whole.Epochs[:1]}, {Points: whole.Points[:2], Epochs: whole.Epochs[:1]}, whole},
	} {
		dir := t.TempDir()
		l := must.Get(Open(dir))(t)
		for _, c := range updates {
			must.Do(t, l.Update("run", c, at))
			if text, err := os.ReadFile(filepath.Join(dir, "run", fileName)); err == nil {
				if _, err := readEvents(text); err != nil {
					t.Errorf("%s: half an event: %v", name, err)
				}
				files[name] = text
			}
		}
	}
	for name, text := range files {
		if !bytes.Equal(text, files["once"]) {
			t.Errorf("%s: other bytes than written at once", name)
		}
	}
	if len(files["once"]) == 0 {
		t.Error("nothing was written")
	}
}

// Curves of older versions do not tell the steps of an epoch: its last point tells how many there are at least.
func TestOlderCurves(t *testing.T) {
	c := curves()
	for k := range c.Epochs {
		c.Epochs[k].Steps = 0
	}
	if got := begins(c)(2); got != 22 {
		t.Errorf("the third epoch begins at %d, want 22", got)
	}
}
