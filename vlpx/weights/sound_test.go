package weights

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/internal/test/must"
)

// framed are the bytes of a file with a header and so much data.
func framed(header string, data int) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, data)...)
}

func TestOpenRefuses(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":                       {nil, "no safetensors file"},
		"a header longer than the file": {binary.LittleEndian.AppendUint64(nil, 1<<60), "cut off in its header"},
		"a header of negative length":   {binary.LittleEndian.AppendUint64(nil, 1<<63), "cut off in its header"},
		"a header of 17 MiB":            {framed(strings.Repeat(" ", 17<<20), 0), "a model's has at most"},
		"no JSON":                       {framed("hello", 0), "no JSON object"},
		"a list":                        {framed("[]", 0), "no JSON object"},
		"JSON that ends":                {framed(`{"a":{"dtype"`, 0), "its header"},
		"more behind the JSON":          {framed(`{} {}`, 0), "more follows"},
		"deep JSON": {framed(`{"__metadata__":`+strings.Repeat(`{"a":`, 20000)+"1"+strings.Repeat("}", 20001), 0),
			"exceeded max depth"},
		"a name that is there twice":  {framed("{"+a+","+a+"}", 8), "tensor a is there twice"},
		"nothing said":                {framed(`{"a":null}`, 0), "nothing is said of it"},
		"no offsets":                  {framed(`{"a":{"dtype":"F32","shape":[0]}}`, 0), "bytes -1 to -1"},
		"an end behind the file":      {framed("{"+a+"}", 4), "bytes 0 to 8 of 4; the file is cut off"},
		"an end before its beginning": {framed(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), "bytes 8 to 0"},
		"tensors that overlap": {framed("{"+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12),
			"begins at byte 4, where 8 is next"},
		"tensors with a gap": {framed("{"+a+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}}`, 16),
			"begins at byte 12, where 8 is next"},
		"bytes of no tensor": {framed("{"+a+"}", 12), "4 bytes lie behind the last tensor"},
		"a shape of more values": {framed(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8),
			"the shape [3] are impossible in 8 bytes"},
		"a shape beyond all numbers": {framed(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0),
			"is impossible"},
		"a negative shape":         {framed(`{"a":{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}}`, 8), "is impossible"},
		"a type that nobody knows": {framed(`{"a":{"dtype":"Q8","shape":[8],"data_offsets":[0,8]}}`, 8), `values of type "Q8"`},
		"a zip file of PyTorch's":  {[]byte("PK\x03\x04 and so on"), "weights_only=True"},
		"a pickle that would run code": {[]byte("\x80\x02cposix\nsystem\nX\x04\x00\x00\x00true\x85R."),
			"may run code when it is read; it is left unread"},
		"a short pickle, which is no 80": {[]byte("\x80\x03."), "weights_only=True"},
	} {
		path := save(t, c.content)
		for reader, read := range map[string]func() error{
			"Open": func() error { _, err := Open(path); return err }, "Find": func() error { _, err := Find(path); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: got error %v, want one of the file that says %q", name, reader, err, c.want)
			}
		}
	}
}

// A header of 640 bytes begins as a pickle does, and is none.
func TestOpenIsNotMisled(t *testing.T) {
	f := must.Get(Open(save(t, framed("{}"+strings.Repeat(" ", 638), 0))))(t)
	f.Close()
}

// FuzzOpen opens whatever bytes there are: an error, or tensors of the sizes that their file says, in little memory.
func FuzzOpen(f *testing.F) {
	whole := encode(f, map[string]tensor{"a": {[]int{2, 3}, 0}, "b": {nil, 7}, "c": {[]int{0, 4}, 0}})
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(framed(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"BOOL","shape":[3],"data_offsets":[4,7]}}`, 7))
	f.Add(framed(`{"a":{"dtype":"F16","shape":[9223372036854775807,0],"data_offsets":[0,0]}}`, 0))
	f.Add([]byte("PK\x03\x04"))
	path := filepath.Join(f.TempDir(), "model.safetensors")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(t, os.WriteFile(path, content, 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file, err := Open(path)
		if err != nil {
			return
		}
		defer file.Close()
		data := 0
		for _, name := range file.Names() {
			x, err := file.Tensor(name)
			if err != nil {
				continue
			}
			about := file.about(name)
			if x.Shape().Size() != about.Parameters() || x.ByteSize() != int64(about.Parameters()*x.DType().Size()) {
				t.Errorf("%s: %s of %d bytes, its header says %v", name, x.Shape(), x.ByteSize(), about)
			}
			data += int(x.ByteSize())
			if _, err := As(x, dtypes.Float64); err == nil && x.DType().IsFloat() {
				data += 8 * about.Parameters()
			}
			x.FinalizeAll()
		}
		if data > 5*8*len(content) {
			t.Errorf("%d bytes of values come of a file of %d", data, len(content))
		}
		runtime.ReadMemStats(&after)
		if took, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+1000*len(content)); took > limit {
			t.Errorf("a file of %d bytes took %d bytes of memory, want at most %d", len(content), took, limit)
		}
	})
}

// The documentation has the command that the error has.
func TestConvertIsDocumented(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "USE.md")))(t)
	if !strings.Contains(string(text), "\n"+Convert+"\n") {
		t.Errorf("docs/USE.md does not have the command\n%s", Convert)
	}
}
