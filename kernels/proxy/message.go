package proxy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// delimiter ends the identities of a message; a signature, a header, the parent's header, metadata and content follow
// (jupyter-client.readthedocs.io, "The Wire Protocol").
const delimiter = "<IDS|MSG>"

// message is one of Jupyter's, without buffers.
type message struct {
	identities                        [][]byte
	header, parent, metadata, content []byte
}

// open reads a message whose signature is right.
func open(parts [][]byte, key []byte) (m message, ok bool) {
	at := slices.IndexFunc(parts, func(part []byte) bool { return string(part) == delimiter })
	if at < 0 || len(parts) < at+6 {
		return message{}, false
	}
	m = message{parts[:at], parts[at+2], parts[at+3], parts[at+4], parts[at+5]}
	return m, hmac.Equal(parts[at+1], m.signature(key))
}

// seal returns the message's parts, signed.
func (m message) seal(key []byte) [][]byte {
	return append(slices.Clone(m.identities), []byte(delimiter), m.signature(key), m.header, m.parent, m.metadata, m.content)
}

// signature is what the message is signed with, nothing where there is no key.
func (m message) signature(key []byte) []byte {
	if len(key) == 0 {
		return []byte{}
	}
	sum := hmac.New(sha256.New, key)
	for _, part := range [][]byte{m.header, m.parent, m.metadata, m.content} {
		sum.Write(part)
	}
	return hex.AppendEncode(nil, sum.Sum(nil))
}

// header is what the proxy reads of a message's header.
type header struct {
	ID   string `json:"msg_id"`
	Type string `json:"msg_type"`
}

// readHeader returns no type for what is no header.
func readHeader(text []byte) (h header) {
	if err := json.Unmarshal(text, &h); err != nil {
		return header{}
	}
	return h
}

// retyped returns a header with another message's type.
func retyped(text []byte, kind string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(kind)
	if err != nil {
		return nil, err
	}
	fields["msg_type"] = encoded
	return json.Marshal(fields)
}
