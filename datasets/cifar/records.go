package cifar

import (
	"errors"
	"fmt"
	"image"
	"io"
)

// The sides of an image in pixels, and of each of its planes in bytes.
const (
	side  = 32
	plane = side * side
)

// format is what the records of a variant look like.
type format struct {
	name   string
	limits []int // how many values each label byte takes, the class last
	coarse bool  // the class is the first label instead
}

// The variants.
var (
	cifar10   = format{name: "CIFAR-10", limits: []int{10}}
	cifar100  = format{name: "CIFAR-100", limits: []int{20, 100}}
	cifar100c = format{name: "CIFAR-100 coarse", limits: []int{20, 100}, coarse: true}
)

// mostRecords bounds those of a file.
const mostRecords = 100_000

// size is that of a record in bytes.
func (f format) size() int { return len(f.limits) + 3*plane }

// label is the place of the byte that is the class.
func (f format) label() int {
	if f.coarse {
		return 0
	}
	return len(f.limits) - 1
}

// classes is how many there are.
func (f format) classes() int { return f.limits[f.label()] }

// parse reads records to the end and checks their labels. The error names the record, from 0, and the byte of the unpacked file.
func (f format) parse(r io.Reader) ([]byte, error) {
	most := mostRecords * f.size()
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(data) > most {
		return nil, fmt.Errorf("more than %d records; a file of %s has 50,000 at most", mostRecords, f.name)
	}
	record, rest := len(data)/f.size(), len(data)%f.size()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || err == nil && rest > 0:
		return nil, fmt.Errorf("cut off in record %d, at byte %d: a record of %s has %d bytes; get the file again", record, len(data),
			f.name, f.size())
	case err != nil:
		return nil, fmt.Errorf("record %d, at byte %d: %w; get the file again", record, len(data), err)
	case len(data) == 0:
		return nil, errors.New("the file is empty; get it again")
	}
	for record := range len(data) / f.size() {
		for at, limit := range f.limits {
			if label := int(data[record*f.size()+at]); label >= limit {
				return nil, fmt.Errorf("record %d, at byte %d: label %d; those of %s are below %d; get the file again, "+
					"or put the names of its classes beside it, which tell what it is", record, record*f.size()+at, label, f.name, limit)
			}
		}
	}
	return data, nil
}

// class is the label of a record.
func (f format) class(record []byte) int { return int(record[f.label()]) }

// picture is the image of a record.
func (f format) picture(record []byte) *image.NRGBA {
	planes := record[len(f.limits):]
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range plane {
		copy(img.Pix[4*i:], []byte{planes[i], planes[plane+i], planes[2*plane+i], 255})
	}
	return img
}
