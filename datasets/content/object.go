package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Object is a large JSON object, which is read field by field and its lists entry by entry: so a file costs no more memory than what is
// kept of it, and an error names the entry.
type Object struct {
	Layout string                         // what the file should be, such as "a dataset file in Karpathy's layout"
	Fields map[string]func(*Object) error // what reads a field; others are passed over
	Needs  []string                       // fields that must be there

	decoder *json.Decoder
	entry   *entry
}

// mostOfEntry bounds the bytes of a value or a list's entry, with the blanks before it. Those of an image with its captions are some
// hundred.
const mostOfEntry = 4 << 20

// mostOfList bounds the entries of a list, of which each takes some hundred bytes of memory. COCO has 0.1 million images.
const mostOfList = 10_000_000

// entry is a file of which one value is read, or a list's entry, so much of it at most.
type entry struct {
	r          io.Reader
	read, most int64
}

func (e *entry) Read(p []byte) (int, error) {
	if e.read > e.most {
		return 0, fmt.Errorf("it is longer than %d bytes", mostOfEntry)
	}
	n, err := e.r.Read(p)
	e.read += int64(n)
	return n, err
}

// Read reads the object and nothing after it. A field that is read must not be there twice.
func (o *Object) Read(r io.Reader) error {
	o.entry = &entry{r: r}
	o.decoder = json.NewDecoder(o.entry)
	if err := o.expect(json.Delim('{')); err != nil {
		return err
	}
	found := map[string]bool{}
	for o.more() {
		token, err := o.token()
		if err != nil {
			return CutOff("a field's name", err)
		}
		key := token.(string) // nothing else is a key
		read, known := o.Fields[key]
		if !known {
			if err := o.skip(); err != nil {
				return CutOff(fmt.Sprintf("field %q", key), err)
			}
			continue
		}
		if found[key] {
			return fmt.Errorf("%q is there twice; keep one", key)
		}
		found[key] = true
		if err := read(o); err != nil {
			return err
		}
	}
	if err := o.expect(json.Delim('}')); err != nil {
		return err
	}
	if _, err := o.token(); err != io.EOF {
		return errors.New("there is more after the end of the object; the file is damaged, get it again")
	}
	for _, key := range o.Needs {
		if !found[key] {
			return fmt.Errorf("no %q; is this %s?", key, o.Layout)
		}
	}
	return nil
}

// Decode reads one value of a field; what is how an error calls it.
func (o *Object) Decode(what string, value any) error {
	o.next()
	if err := o.decoder.Decode(value); err != nil {
		return CutOff(what, err)
	}
	return nil
}

// Value reads a field of one value.
func Value[T any](key string, value *T) func(*Object) error {
	return func(o *Object) error { return o.Decode(fmt.Sprintf("%q", key), value) }
}

// Each reads a field that is a list; take gets its entries in order, and what is how an error calls one of them.
func Each[T any](key, what string, take func(i int, entry T) error) func(*Object) error {
	return func(o *Object) error {
		if err := o.expect(json.Delim('[')); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		n := 0
		for ; o.more(); n++ {
			var entry T
			if err := o.Decode(fmt.Sprintf("%s %d", what, n), &entry); err != nil {
				return err
			}
			if n >= mostOfList {
				return fmt.Errorf("%q has more than %d entries; leave some out", key, mostOfList)
			}
			if err := take(n, entry); err != nil {
				return fmt.Errorf("%s %d: %w", what, n, err)
			}
		}
		if err := o.expect(json.Delim(']')); err != nil {
			return fmt.Errorf("after %s %d: %w", what, n-1, err)
		}
		return nil
	}
}

// expect reads one delimiter.
func (o *Object) expect(want json.Delim) error {
	got, err := o.token()
	if err != nil {
		return CutOff(fmt.Sprintf("%q", want.String()), err)
	}
	if got != want {
		return fmt.Errorf("%v where %q should be; is this %s?", got, want.String(), o.Layout)
	}
	return nil
}

// next lets so much be read from here on as one value may take.
func (o *Object) next() { o.entry.most = o.decoder.InputOffset() + mostOfEntry }

func (o *Object) more() bool {
	o.next()
	return o.decoder.More()
}

func (o *Object) token() (json.Token, error) {
	o.next()
	return o.decoder.Token()
}

// mostSkipped bounds the bytes of a value that nobody reads.
const mostSkipped = 64 << 20

// skip passes over a value and holds none of it. Values nest ten thousand deep at most, as in package json.
func (o *Object) skip() error {
	const deepest = 10_000
	begin := o.decoder.InputOffset()
	for depth := 0; ; {
		token, err := o.token()
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		switch {
		case err != nil:
			return err
		case depth > deepest:
			return errors.New("it nests too deeply")
		case o.decoder.InputOffset()-begin > mostSkipped:
			return fmt.Errorf("it is longer than %d bytes, and nothing reads it; leave it out", mostSkipped)
		case depth == 0:
			return nil
		}
	}
}
