package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

var key = []byte("a key")

// greeting opens a connection of ZMTP 3 without encryption.
var greeting = func() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}()

// ready is a command, as a client sends it after the greeting.
var ready = append([]byte{flagCommand, 6}, "\x05READY"...)

// sent is a message of Jupyter's, signed, as it is sent.
func sent(kind, id, parent, content string, buffers ...[]byte) []byte {
	m := message{
		identities: [][]byte{[]byte("a client")},
		header:     []byte(`{"msg_id": "` + id + `", "msg_type": "` + kind + `", "session": "s", "version": "5.3"}`),
		parent:     []byte(`{"msg_id": "` + parent + `"}`),
		metadata:   []byte(`{}`),
		content:    []byte(content),
	}
	return encode(append(m.seal(key), buffers...))
}

// stream is a connection on which this is sent.
func stream(sent ...[]byte) []byte {
	return bytes.Join(append([][]byte{greeting, ready}, sent...), nil)
}

// relayed is what arrives of what is sent.
func relayed(t testing.TB, sent []byte, r rewriting) []byte {
	t.Helper()
	var arrived bytes.Buffer
	if err := relay(&arrived, bytes.NewReader(sent), r); err != io.EOF {
		t.Fatalf("error %v, want the connection's end", err)
	}
	return arrived.Bytes()
}

// received reads the last message of a stream, which must be signed.
func received(t *testing.T, arrived []byte) (h header, m message) {
	t.Helper()
	var parts [][]byte
	r := rewriting{wants: func([]byte) bool { return true }, rewrite: func(p [][]byte) [][]byte { parts = p; return nil }}
	relayed(t, arrived, r)
	m, ok := open(parts, key)
	if !ok {
		t.Fatalf("%q is not signed", parts)
	}
	return readHeader(m.header), m
}

func TestRelayLeavesEverythingElseAsItIs(t *testing.T) {
	request := sent("is_complete_request", "1", "", `{"code": "%%"}`)
	forged := bytes.Replace(request, []byte("%%"), []byte("!!"), 1)
	pinged := sent("execute_request", "2", "", `{"code": ""}`)
	pinged = bytes.Join([][]byte{pinged[:10], {flagCommand, 5}, []byte("\x04PING"), pinged[10:]}, nil)
	huge := `{"code": "` + strings.Repeat("x", maxRewritten) + `"}`
	long := append([]byte{flagLong, 0, 0, 0, 0, 0, 0, 0, 3}, "one"...) // a size in more bytes than it takes
	for name, sent := range map[string][]byte{
		"a cell and its widgets":           stream(sent("execute_request", "1", "", `{"code": "1"}`, make([]byte, 20<<20), nil)),
		"a request with a wrong signature": stream(forged),
		"a request without content":        stream(encode([][]byte{[]byte(delimiter), nil, []byte(`{"msg_type": "is_complete_request"}`)})),
		"a request that is not JSON":       stream(sent("is_complete_request", "1", "", `{"code": `)),
		"a request beyond any cell":        stream(sent("is_complete_request", "1", "", huge)),
		"a command among frames":           stream(pinged),
		"no delimiter":                     stream(encode(make([][]byte, 100)), encode([][]byte{make([]byte, 2*maxHeld), nil})),
		"an odd frame":                     stream(long, []byte{0, 0}),
		"another protocol":                 append(bytes.Replace(greeting, []byte("NULL"), []byte("CURV"), 1), request...),
	} {
		t.Run(name, func(t *testing.T) {
			if got := relayed(t, sent, newSession(key).requests()); !bytes.Equal(got, sent) {
				t.Errorf("%d bytes arrive of %d, or others", len(got), len(sent))
			}
		})
	}
}

// A connection that ends within a frame or a message is no message.
func TestRelayOfAConnectionCutOff(t *testing.T) {
	whole := stream(sent("is_complete_request", "1", "", `{"code": "%%"}`))
	for _, length := range []int{0, 10, greetingSize + 1, len(whole) - 20, len(whole) - 1} {
		var arrived bytes.Buffer
		if err := relay(&arrived, bytes.NewReader(whole[:length]), newSession(key).requests()); err == nil {
			t.Errorf("%d of %d bytes: no error", length, len(whole))
		}
		if arrived.Len() > greetingSize+len(ready) {
			t.Errorf("%d of %d bytes: %d arrive", length, len(whole), arrived.Len())
		}
	}
	broken := errors.New("broken")
	err := relay(writer(func([]byte) (int, error) { return 0, broken }), bytes.NewReader(whole), newSession(key).requests())
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the other side", err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// A request that GoNB leaves without an answer is GoNB's kernel_info_request, and GoNB's answer to it the client's reply, once.
func TestSessionAnswers(t *testing.T) {
	for _, test := range []struct{ asks, content, want string }{
		{"is_complete", `{"code": "%%\nfor {"}`, `{"indent":"\t","status":"incomplete"}`},
		{"is_complete", `{"code": "var x int"}`, `{"status":"complete"}`},
		{"is_complete", `{"code": ")"}`, `{"status":"invalid"}`},
		{"is_complete", `{}`, `{"status":"complete"}`},
		{"history", `{"hist_access_type": "tail", "n": 10}`, `{"history":[],"status":"ok"}`},
		{"comm_info", `{}`, `{"comms":{},"status":"ok"}`},
	} {
		s := newSession(key)
		asked := relayed(t, stream(sent(test.asks+"_request", "7", "", test.content)), s.requests())
		h, m := received(t, asked)
		if h != (header{"7", "kernel_info_request"}) || string(m.content) != "{}" || string(m.identities[0]) != "a client" ||
			!json.Valid(m.header) {
			t.Fatalf("GoNB is asked %s %s", m.header, m.content)
		}
		for _, other := range [][]byte{
			sent("kernel_info_reply", "r", "8", `{"status": "ok"}`), // to a request of the client's own
			sent("execute_reply", "r", "7", `{}`),
		} {
			if got := relayed(t, stream(other), s.replies()); !bytes.Equal(got, stream(other)) {
				t.Errorf("%q arrives as %q", other, got)
			}
		}
		reply := stream(sent("kernel_info_reply", "r", "7", `{"status": "ok"}`))
		h, m = received(t, relayed(t, reply, s.replies()))
		if h != (header{"r", test.asks + "_reply"}) || string(m.content) != test.want ||
			readHeader(m.parent) != (header{"7", test.asks + "_request"}) {
			t.Errorf("%s: the client gets %s %s on %s, want %s", test.content, m.header, m.content, m.parent, test.want)
		}
		if got := relayed(t, reply, s.replies()); !bytes.Equal(got, reply) {
			t.Errorf("a second reply arrives as %q", got)
		}
	}
}

// A completion that fails, as the first one does that gopls is too slow for, has the fields of an error.
func TestSessionTellsOfAnError(t *testing.T) {
	_, m := received(t, relayed(t, stream(sent("complete_reply", "r", "1", `{"status": "error", "matches": []}`)),
		newSession(key).replies()))
	var got struct {
		Ename, Evalue      string
		Matches, Traceback []string
	}
	if err := json.Unmarshal(m.content, &got); err != nil || got.Ename == "" || got.Evalue == "" || got.Traceback == nil ||
		got.Matches == nil {
		t.Errorf("the client gets %s (%v)", m.content, err)
	}
	for _, content := range []string{`{"status": "ok", "matches": ["a"]}`, `{"status": "error", "ename": "E"}`, `[]`} {
		reply := stream(sent("complete_reply", "r", "1", content))
		if got := relayed(t, reply, newSession(key).replies()); !bytes.Equal(got, reply) {
			t.Errorf("%s arrives as %q", content, got)
		}
	}
}

func TestNoKeyNoSignature(t *testing.T) {
	parts := message{header: []byte("{}"), parent: []byte("{}"), metadata: []byte("{}"), content: []byte("{}")}.seal(nil)
	if _, ok := open(parts, nil); !ok || len(parts[1]) != 0 {
		t.Errorf("signed %q, want nothing", parts[1])
	}
	if _, ok := open(parts, key); ok {
		t.Error("taken as signed with a key")
	}
}

// Whatever a client sends is passed on as it is, up to where it ends, unless it is a request with the right signature.
func FuzzRelay(f *testing.F) {
	f.Add(sent("execute_request", "1", "", `{"code": "1"}`, []byte("buffer")))
	f.Add(sent("is_complete_request", "1", "", `{"code": "1"}`))
	f.Add(append(ready, 0, 0))
	f.Add([]byte{flagLong | flagMore, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, sent []byte) {
		whole := append(bytes.Clone(greeting), sent...)
		var arrived bytes.Buffer
		err := relay(&arrived, bytes.NewReader(whole), newSession([]byte("another key")).requests())
		if err == nil || !bytes.HasPrefix(whole, arrived.Bytes()) {
			t.Errorf("error %v, %q arrives of %q", err, arrived.Bytes(), whole)
		}
		if err == io.EOF && arrived.Len() != len(whole) {
			t.Errorf("%d bytes arrive of %d", arrived.Len(), len(whole))
		}
	})
}
