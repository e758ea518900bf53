package proxy

import (
	"encoding/json"
	"strings"
	"sync"
)

// session is one client's connection to the shell channel, and what the client waits for.
type session struct {
	key []byte

	mu      sync.Mutex
	waiting map[string]question // by the identity of the request
}

// question is a request that GoNB has as a kernel_info_request.
type question struct {
	header, answer []byte
	reply          string // the answer's type
}

// answers are the contents of the replies to what GoNB leaves without one, for a request's type and content.
var answers = map[string]func(content []byte) (any, error){
	"is_complete_request": func(content []byte) (any, error) {
		var asked struct{ Code string }
		if err := json.Unmarshal(content, &asked); err != nil {
			return nil, err
		}
		status, indent := IsComplete(asked.Code)
		if status != Incomplete {
			return map[string]string{"status": status}, nil
		}
		return map[string]string{"status": status, "indent": indent}, nil
	},
	// GoNB keeps no history, and no comms for a page that comes back to it.
	"history_request":   func([]byte) (any, error) { return map[string]any{"status": "ok", "history": []any{}}, nil },
	"comm_info_request": func([]byte) (any, error) { return map[string]any{"status": "ok", "comms": map[string]any{}}, nil },
}

func newSession(key []byte) *session { return &session{key: key, waiting: map[string]question{}} }

// requests is what changes on the way from the client: a request that GoNB leaves without an answer, which is remembered with one.
func (s *session) requests() rewriting {
	return rewriting{
		wants: func(header []byte) bool { return answers[readHeader(header).Type] != nil },
		rewrite: func(parts [][]byte) [][]byte {
			m, ok := open(parts, s.key)
			if !ok {
				return nil // GoNB refuses it
			}
			asked := readHeader(m.header)
			answer, err := answers[asked.Type](m.content)
			if err != nil {
				return nil
			}
			q := question{header: m.header, reply: strings.TrimSuffix(asked.Type, "request") + "reply"}
			if q.answer, err = json.Marshal(answer); err != nil {
				return nil
			}
			if m.header, err = retyped(m.header, "kernel_info_request"); err != nil {
				return nil
			}
			m.content = []byte("{}")
			s.mu.Lock()
			defer s.mu.Unlock()
			s.waiting[asked.ID] = q
			return m.seal(s.key)
		},
	}
}

// replies is what changes on the way to the client: the kernel_info_reply to what was another request, and a complete_reply with
// an error, which GoNB does not tell.
func (s *session) replies() rewriting {
	return rewriting{
		wants: func(header []byte) bool {
			kind := readHeader(header).Type
			s.mu.Lock()
			defer s.mu.Unlock()
			return kind == "complete_reply" || kind == "kernel_info_reply" && len(s.waiting) > 0
		},
		rewrite: func(parts [][]byte) [][]byte {
			m, ok := open(parts, s.key)
			if ok && readHeader(m.header).Type == "complete_reply" {
				m.content, ok = withError(m.content)
			} else if ok {
				ok = s.answer(&m)
			}
			if !ok {
				return nil
			}
			return m.seal(s.key)
		},
	}
}

// answer makes a kernel_info_reply the answer that the client waits for, and reports whether there is one.
func (s *session) answer(m *message) bool {
	id := readHeader(m.parent).ID
	s.mu.Lock()
	q, asked := s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	reply, err := retyped(m.header, q.reply)
	if !asked || err != nil {
		return false
	}
	m.header, m.parent, m.content = reply, q.header, q.answer
	return true
}

// withError adds to the content of a complete_reply with an error what every such reply must have.
func withError(content []byte) (told []byte, lacked bool) {
	var fields map[string]any
	if err := json.Unmarshal(content, &fields); err != nil || fields["status"] != "error" || fields["ename"] != nil {
		return nil, false
	}
	fields["ename"], fields["evalue"], fields["traceback"] = "ERROR", "gopls gave no completions; it may still be starting", []string{}
	told, err := json.Marshal(fields)
	return told, err == nil
}
