package paper

import (
	"fmt"
	"testing"
	"time"
)

func testTmp(t *testing.T) {
	now := time.Now()
	all := AllReaders(Settings())
	for i, x := range Settings() {
		at := time.Now()
		fmt.Printf("%-28s %s  [%v]\n", x.Name, all[i], time.Since(at).Round(time.Millisecond))
	}
	fmt.Println(time.Since(now))
}
