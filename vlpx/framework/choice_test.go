package framework

import (
	"encoding/json"
	"errors"
	"testing"
)

// A framework that this program does not know is left out of a run, and what asks for it says so.
func TestUnknownFramework(t *testing.T) {
	var c Choice
	if err := json.Unmarshal([]byte(`{"mine.Model": {"Width": 3}, "Program": "ab"}`), &c); err != nil || c.Framework != nil {
		t.Fatalf("got %+v, %v; want none", c, err)
	}
	if err := Check(c.Framework, Use{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("got error %v", err)
	}
	if err := c.Plain(); err == nil {
		t.Error("none is plain data")
	}
}
