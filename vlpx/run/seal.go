package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// errUnsealed says that a file is not as it was written.
var errUnsealed = errors.New("it is not as the program wrote it: somebody has changed it by hand, or a disk has")

// seal is where a result's file ends with the sum of what stands before, of as many bytes as all sums have.
var seal = regexp.MustCompile(`,\n  "Sum": "([0-9a-f]{16})"\n}\n?$`)

// sealed is a JSON object, indented, with the sum of what it says at its end.
func sealed(text []byte) []byte {
	said := slices.Clip(bytes.TrimSuffix(text, []byte("\n}")))
	return fmt.Appendf(said, ",\n  \"Sum\": %q\n}\n", sumOf(said))
}

func sumOf(said []byte) string {
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:8])
}

// verifySeal tells of a file that says something else than its sum is of. One of an older version, which has none, is taken as it is.
func verifySeal(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return present(err)
	}
	if at := seal.FindSubmatchIndex(text); at != nil && sumOf(text[:at[0]]) != string(text[at[2]:at[3]]) {
		return fmt.Errorf("run: %s: %w", path, errUnsealed)
	}
	return nil
}
