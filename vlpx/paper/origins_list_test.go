package paper

import "testing"

func TestGathered(t *testing.T) {
	rows := []string{"A", "B", "C", "D", "E"}
	for _, c := range []struct {
		of   []origin
		want string
	}{
		{nil, ""}, {[]origin{{}, {}}, ""}, {[]origin{{}, {"go", "a"}, {"go", "a"}}, "go, commit a"},
		{[]origin{{"onnx:cpu", "a"}, {"go", "a"}, {"onnx:cpu", "b"}, {}, {"onnx:cpu", "a"}}, "go, commit a (B); onnx:cpu, commit a (A, " +
			"E); commit b (C)"},
	} {
		if got := gathered(rows[:len(c.of)], c.of); got != c.want {
			t.Errorf("%v: got %q, want %q", c.of, got, c.want)
		}
	}
}
