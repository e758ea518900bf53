package main

import (
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"vlpx.internal/a"}
{"Action":"run","Package":"vlpx.internal/a","Test":"TestGood"}
{"Action":"output","Package":"vlpx.internal/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"pass","Package":"vlpx.internal/a","Test":"TestGood","Elapsed":1.5}
{"Action":"output","Package":"vlpx.internal/a","Test":"TestGolden/x","Output":"=== RUN   TestGolden/x\n"}
{"Action":"output","Package":"vlpx.internal/a","Test":"TestGolden/x","Output":"    a_test.go:12: not there yet\n"}
{"Action":"output","Package":"vlpx.internal/a","Test":"TestGolden/x","Output":"--- SKIP: TestGolden/x (0.00s)\n"}
{"Action":"skip","Package":"vlpx.internal/a","Test":"TestGolden/x","Elapsed":0}
{"Action":"pass","Package":"vlpx.internal/a","Elapsed":2}
{"Action":"skip","Package":"vlpx.internal/none","Elapsed":0}
`

const failing = `{"ImportPath":"vlpx.internal/c","Action":"build-output","Output":"c.go:1: broken\n"}
{"Action":"output","Package":"vlpx.internal/b","Test":"TestBad","Output":"    b_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"vlpx.internal/b","Test":"TestBad","Elapsed":0.1}
{"Action":"output","Package":"vlpx.internal/b","Output":"FAIL\n"}
{"Action":"fail","Package":"vlpx.internal/b","Elapsed":0.2}
`

func TestReport(t *testing.T) {
	for _, test := range []struct {
		name, events, skips string
		want                []string
		failure             string
	}{
		{"a listed skip", events, "# remark\n\na TestGolden/* a later paper's\n",
			[]string{"ok       2.0 s  a", "1.5 s  a TestGood", "1 skipped:", "a TestGolden/x: not there yet (a later paper's)"}, ""},
		{"a skip of another package", events, "b TestGolden/* why\n", []string{"a TestGolden/x: not there yet (NOT ON THE LIST)"},
			"0 tests and packages failed; 1 tests were skipped that"},
		{"failures", events + failing, "a TestGolden/x why\n", []string{"c.go:1: broken", "FAIL     0.1 s  b TestBad\n    b_test.go:3: " +
			"got 1, want 2"},
			"2 tests and packages failed; 0 tests"},
	} {
		allowed, err := parseAllowances(test.skips)
		if err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		err = report(strings.NewReader(test.events), &told, allowed)
		if (err == nil) != (test.failure == "") || err != nil && !strings.Contains(err.Error(), test.failure) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.failure)
		}
		for _, want := range test.want {
			if !strings.Contains(told.String(), want) {
				t.Errorf("%s: told %q, want %q in it", test.name, told.String(), want)
			}
		}
	}
}

func TestParseAllowances(t *testing.T) {
	for _, wrong := range []string{"a TestB", "a Test[ why"} {
		if _, err := parseAllowances(wrong); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: error %v, want one that names the line", wrong, err)
		}
	}
}
