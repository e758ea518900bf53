package command

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// TestWeights lists known weights, fetches one from a hub that $HF_ENDPOINT names, and shows what it has.
func TestWeights(t *testing.T) {
	dir := t.TempDir()
	header := `{"blocks.0.attn.qkv.weight":{"dtype":"F16","shape":[6,2],"data_offsets":[0,24]},"blocks.0.attn.qkv.bias":{"dtype":"F16","shape":[6],"data_offsets":[24,36]}}`
	content := append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, 36)...)
	sum := sha256.Sum256(content)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/timm/deit_base_patch16_224.fb_in1k/resolve/main/model.safetensors" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("X-Linked-Etag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
	}))
	defer server.Close()
	t.Setenv("HF_ENDPOINT", server.URL)
	hash := hex.EncodeToString(sum[:8])
	has := func(want bool) {
		t.Helper()
		out, _ := succeed(t, dir, "weights")
		if !strings.Contains(out, "timm/deit_base_patch16_224.fb_in1k@main model.safetensors") || strings.Contains(out, hash) != want {
			t.Errorf("got the list\n%s\nwant DeiT in it; here: %v", out, want)
		}
	}
	has(false)
	if out, _ := succeed(t, dir, "weights", "fetch", "deit-base"); !strings.Contains(out, hash) {
		t.Errorf("got %q, want the hash %s", out, hash)
	}
	has(true)
	if out, _ := succeed(t, dir, "weights", "show", "deit-base"); !strings.Contains(out, "timm's ViT") ||
		!strings.Contains(out, "2 tensors, 18 parameters in F16") ||
		!strings.Contains(out, "missing") {
		t.Errorf("got %q", out)
	}
	pickle := filepath.Join(dir, "albef.pth")
	must.Do(t, os.WriteFile(pickle, []byte("\x80\x02cposix\nsystem\n"), 0o600))
	server.Close()
	for want, args := range map[string][]string{
		"lists them": {"weights", "fetch", "deit-bass"},
		"vlpx weights fetch deit-base fetches it, vlpx weights show deit-base": {"weights", "deit-base"},
		"weights fetch needs a":        {"weights", "fetch"},
		"the server cannot be reached": {"weights", "fetch", "bert-base"},
		"weights_only=True":            {"weights", "show", pickle},
		"nor is it a name":             shortest("train", "InfoNCE", "-weights", "text=bert-bass"),
		"nothing for the variable":     shortest("train", "InfoNCE", "-weights", "vision=deit-base"),
		"bert-base (440 MB) is not":    shortest("train", "InfoNCE", "-weights", "vision=none,text=bert-base"),
	} {
		if _, errs, status := executed(t, dir, args...); status != 1 || !strings.Contains(errs, want) {
			t.Errorf("vlpx %s: status %d, %q; want 1 and %q", strings.Join(args, " "), status, errs, want)
		}
	}
}
