package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of the messages Event, Summary and Summary.Value, as tensorboard/compat/proto/event.proto and summary.proto number them.
const (
	eventTime    = 1
	eventStep    = 2
	eventVersion = 3
	eventSummary = 5
	summaryValue = 1
	valueTag     = 1
	valueSimple  = 2
)

// version begins every file of events.
const version = "brain.Event:2"

// scalar is a number of a step.
type scalar struct {
	tag   string
	value float64
}

// header is the first event of a file.
func header(at time.Time) []byte {
	return protowire.AppendString(protowire.AppendTag(timed(at), eventVersion, protowire.BytesType), version)
}

// event is the numbers of a step.
func event(at time.Time, step int, scalars []scalar) []byte {
	var summary []byte
	for _, s := range scalars {
		var value []byte
		value = protowire.AppendString(protowire.AppendTag(value, valueTag, protowire.BytesType), s.tag)
		value = protowire.AppendFixed32(protowire.AppendTag(value, valueSimple, protowire.Fixed32Type), math.Float32bits(float32(s.value)))
		summary = protowire.AppendBytes(protowire.AppendTag(summary, summaryValue, protowire.BytesType), value)
	}
	e := protowire.AppendVarint(protowire.AppendTag(timed(at), eventStep, protowire.VarintType), uint64(step))
	return protowire.AppendBytes(protowire.AppendTag(e, eventSummary, protowire.BytesType), summary)
}

// timed is an event with its time, in seconds since 1970.
func timed(at time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, eventTime, protowire.Fixed64Type), math.Float64bits(float64(at.UnixNano())/1e9))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of a record's part: CRC-32C, rotated and moved, so that a checksum of what has checksums in it is no other.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// record writes an event in the framing of TFRecord: its length, the length's checksum, the event and its checksum.
func record(w io.Writer, event []byte) error {
	framed := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	framed = binary.LittleEndian.AppendUint32(framed, masked(framed))
	framed = append(framed, event...)
	framed = binary.LittleEndian.AppendUint32(framed, masked(event))
	_, err := w.Write(framed)
	return err
}
