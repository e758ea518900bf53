package fetch

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/internal/test/must"
)

// The user's token goes to the hub alone, and one that is refused is told with where it is from.
func TestToken(t *testing.T) {
	var asked []string
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer gate.Close()
	home := t.TempDir()
	t.Setenv("HF_HOME", home)
	t.Setenv("HF_TOKEN", "")
	get := func() error {
		return must.Err(File{From: gate.URL + "/a.tar", To: filepath.Join(t.TempDir(), "a.tar")}.Get(t.Context(), nil))
	}
	must.Fail(t, get(), "401 Unauthorized; the server lets nobody read it")
	t.Setenv("HF_ENDPOINT", gate.URL+"/")
	must.Fail(t, get(), "set $HF_TOKEN")
	must.Do(t, os.WriteFile(filepath.Join(home, "token"), []byte("mine\n"), 0o600))
	must.Fail(t, get(), "the token of "+filepath.Join(home, "token")+" may not read it")
	t.Setenv("HF_TOKEN", "yours")
	must.Fail(t, get(), "the token of $HF_TOKEN may not read it")
	t.Setenv("HF_ENDPOINT", gate.URL+"0")
	must.Fail(t, get(), "the server lets nobody read it")
	if want := []string{"", "", "Bearer mine", "Bearer yours", ""}; len(asked) != len(want) {
		t.Fatalf("got %q", asked)
	} else {
		for k := range want {
			if asked[k] != want[k] {
				t.Errorf("request %d has %q, want %q", k, asked[k], want[k])
			}
		}
	}
	if got, want := HubCache(), filepath.Join(home, "hub"); got != want {
		t.Errorf("the hub's cache is %s, want %s", got, want)
	}
}

// A server that is asked by TLS and sends the request on to an address without is not followed: the token would go along for all to read.
func TestTokenStaysInTLS(t *testing.T) {
	asked := 0
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++ }))
	defer open.Close()
	hub := httptest.NewTLSServer(http.RedirectHandler(open.URL+"/a.tar", http.StatusFound))
	defer hub.Close()
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	http.DefaultTransport = hub.Client().Transport // which knows its certificate
	t.Setenv("HF_ENDPOINT", hub.URL)
	t.Setenv("HF_TOKEN", "mine")
	of := File{From: hub.URL + "/a.tar", To: filepath.Join(t.TempDir(), "a.tar")}
	must.Fail(t, must.Err(of.Get(t.Context(), nil)), "it is sent on to http://")
	must.Fail(t, must.Err(of.Size(t.Context())), "it is sent on to http://")
	if asked > 0 {
		t.Errorf("the address without TLS was asked %d times", asked)
	}
}
