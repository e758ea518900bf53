package proxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// A connection of ZMTP 3 is a greeting and then frames: flags, size, body (rfc.zeromq.org/spec/23).
const (
	greetingSize = 64

	flagMore    = 1 << 0 // a frame of the same message follows
	flagLong    = 1 << 1 // the size has eight bytes, not one
	flagCommand = 1 << 2 // the frame is not part of a message
)

// passGreeting passes on what opens a connection, byte by byte as it comes, since either side waits for parts of the other's. It
// reports whether frames follow that can be read: those of ZMTP 3 without encryption.
func passGreeting(to io.Writer, from io.Reader) (readable bool, err error) {
	var passed bytes.Buffer
	if _, err := io.CopyN(to, io.TeeReader(from, &passed), greetingSize); err != nil {
		return false, err
	}
	greeting := passed.Bytes()
	mechanism := bytes.TrimRight(greeting[12:32], "\x00")
	return greeting[0] == 0xff && greeting[9] == 0x7f && greeting[10] >= 3 && string(mechanism) == "NULL", nil
}

// frame is what comes before a frame's body.
type frame struct {
	head  []byte // as it came
	flags byte
	size  uint64 // of the body, in bytes
}

// readFrame reads what comes before a frame's body.
func readFrame(from *bufio.Reader) (frame, error) {
	flags, err := from.ReadByte()
	if err != nil {
		return frame{}, err
	}
	head := []byte{flags, 0}
	if flags&flagLong != 0 {
		head = make([]byte, 9)
		head[0] = flags
	}
	if _, err := io.ReadFull(from, head[1:]); err != nil {
		return frame{}, unexpected(err)
	}
	size := uint64(head[1])
	if flags&flagLong != 0 {
		size = binary.BigEndian.Uint64(head[1:])
	}
	return frame{head, flags, size}, nil
}

// pass passes the frame on.
func (f frame) pass(to io.Writer, from *bufio.Reader) error {
	if _, err := to.Write(f.head); err != nil {
		return err
	}
	if f.size > math.MaxInt64 {
		return fmt.Errorf("a frame of %d bytes", f.size)
	}
	_, err := io.CopyN(to, from, int64(f.size))
	return unexpected(err)
}

// encode returns the frames of a message with these parts.
func encode(parts [][]byte) []byte {
	var frames []byte
	for k, part := range parts {
		var flags byte
		if k < len(parts)-1 {
			flags = flagMore
		}
		if len(part) < 256 {
			frames = append(frames, flags, byte(len(part)))
		} else {
			frames = binary.BigEndian.AppendUint64(append(frames, flags|flagLong), uint64(len(part)))
		}
		frames = append(frames, part...)
	}
	return frames
}

// unexpected is the error of a connection that ends within a frame.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
