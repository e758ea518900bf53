package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A result that was edited is found; one as it was written, or of an older version, is not told of, and all are read.
func TestSeal(t *testing.T) {
	s, r := OpenStore(t.TempDir()), Run{}
	path := filepath.Join(s.Dir(r), resultName)
	if err := os.MkdirAll(s.Dir(r), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.publish(r, resultName, Result{ID: r.ID(), Metrics: map[string]float64{"TR@1": 12.5},
		Updated: &Update{Code: "x"}}); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at := seal.FindSubmatchIndex(written); at == nil || !json.Valid(written) {
		t.Fatalf("got the file %s, want JSON that ends with a sum", written)
	}
	unsealed := append(written[:seal.FindIndex(written)[0]:seal.FindIndex(written)[0]], "\n}\n"...)
	for what, c := range map[string]struct {
		text   []byte
		metric float64
		found  bool
	}{
		"as written":          {written, 12.5, false},
		"of an older version": {unsealed, 12.5, false},
		"edited":              {bytes.Replace(written, []byte("12.5"), []byte("92.5"), 1), 92.5, true},
		"with a space more":   {bytes.Replace(written, []byte("12.5"), []byte("12.5 "), 1), 12.5, true},
	} {
		if err := os.WriteFile(path, c.text, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Result(r); err != nil || got.Metrics["TR@1"] != c.metric {
			t.Errorf("%s: got %v (%v), want it read", what, got.Metrics, err)
		}
		if err := verifySeal(path); (err != nil) != c.found || err != nil && !strings.Contains(err.Error(), "changed it by hand") {
			t.Errorf("%s: got %v, want it found: %v", what, err, c.found)
		}
	}
	if err := verifySeal(filepath.Join(t.TempDir(), resultName)); err != nil {
		t.Errorf("of no file: got %v", err)
	}
}
