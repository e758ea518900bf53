package proxy

import (
	"bufio"
	"bytes"
	"io"
)

const (
	// maxHeld is the size in bytes above which what comes before a message's header is not Jupyter's.
	maxHeld = 1 << 16
	// maxRewritten is the size in bytes of the largest message that is changed. It holds a cell that somebody typed.
	maxRewritten = 16 << 20
)

// rewriting is what a relay changes.
type rewriting struct {
	wants   func(header []byte) bool      // whether a message with this header may need another one in its place
	rewrite func(parts [][]byte) [][]byte // the other one, or nil to leave it as it is
}

// relay passes messages on, each as it comes, but for those that it rewrites, until the connection ends. Between messages that is
// io.EOF.
func relay(to io.Writer, from io.Reader, r rewriting) error {
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	readable, err := passGreeting(to, in)
	if err != nil {
		return err
	}
	if !readable {
		if _, err := io.Copy(to, in); err != nil {
			return err
		}
		return io.EOF
	}
	for {
		if err := r.message(out, in); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

// message passes one message, or one command, on. It holds a message back no longer than until its header says that it stays as it is.
func (r rewriting) message(out io.Writer, in *bufio.Reader) error {
	var (
		held   bytes.Buffer // as it came
		parts  [][]byte
		header = -1 // the part which that is
		wanted = false
	)
	for {
		f, err := readFrame(in)
		switch {
		case err != nil && len(parts) > 0:
			return unexpected(err)
		case err != nil:
			return err
		case f.flags&flagCommand != 0 && len(parts) == 0:
			return f.pass(out, in)
		}
		limit := maxHeld
		if wanted {
			limit = maxRewritten
		}
		if f.size > uint64(limit-min(limit, held.Len())) || f.flags&flagCommand != 0 { // ZMTP has no commands within a message
			if _, err := held.WriteTo(out); err != nil {
				return err
			}
			return passRest(out, in, f)
		}
		start := held.Len() + len(f.head)
		if err := f.pass(&held, in); err != nil {
			return err
		}
		part := bytes.Clone(held.Bytes()[start:])
		parts = append(parts, part)
		if header < 0 && string(part) == delimiter {
			header = len(parts) + 1 // a signature is between them
		}
		if header == len(parts)-1 {
			wanted = r.wants(part)
		}
		last := f.flags&flagMore == 0
		if last && wanted {
			if other := r.rewrite(parts); other != nil {
				_, err := out.Write(encode(other))
				return err
			}
		}
		if last || header >= 0 && len(parts) > header && !wanted {
			if _, err := held.WriteTo(out); err != nil || last {
				return err
			}
			if f, err = readFrame(in); err != nil {
				return unexpected(err)
			}
			return passRest(out, in, f)
		}
	}
}

// passRest passes a frame on, and those after it up to the last one of the message.
func passRest(out io.Writer, in *bufio.Reader, f frame) (err error) {
	for {
		if err := f.pass(out, in); err != nil {
			return err
		}
		if f.flags&(flagMore|flagCommand) == 0 {
			return nil
		}
		if f, err = readFrame(in); err != nil {
			return unexpected(err)
		}
	}
}
