package proxy

import (
	"testing"

	"vlpx.internal/internal/test/must"
)

// A proxy that is killed leaves no kernel behind.
func TestKernelEndsWithTheProxy(t *testing.T) {
	proxy, _, kernel, _, _ := proxyOf(t, t.TempDir(), "tcp", "serve")
	must.Do(t, proxy.Process.Kill())
	proxy.Wait()
	gone(t, kernel)
}
