package proxy

import "testing"

// A proxy that is killed leaves no kernel behind.
func TestKernelEndsWithTheProxy(t *testing.T) {
	proxy, _, kernel, _, _ := proxyOf(t, t.TempDir(), "tcp", "serve")
	if err := proxy.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	proxy.Wait()
	gone(t, kernel)
}
