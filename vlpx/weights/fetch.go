package weights

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/fetch"
)

// Fetch gets a known checkpoint from a hub into the cache folder of the places, unless it is there, and returns it. What a former call
// got is gone on from. The whole file must have the checksum that Known or, without one, the hub states for it; the checksum is kept
// beside it. The user's token goes with the request. progress, if not nil, hears of the bytes that are there, of how many.
func (p Places) Fetch(ctx context.Context, k Known, hub string, progress func(done, total int64)) (Source, error) {
	path := filepath.Join(p.Cache, k.Name, k.File)
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return Source{}, fmt.Errorf("weights: %w; choose another place with VLPX_HOME or -home", err)
	}
	f := fetch.File{
		From: fmt.Sprintf("%s/%s/resolve/%s/%s", hub, k.Hub, url.PathEscape(k.Revision), k.File), To: path,
		SHA256: k.SHA256, States: stated, Sound: sound,
	}
	sum, err := f.Get(ctx, progress)
	switch {
	case errors.Is(err, fetch.ErrUnreachable) && ctx.Err() == nil:
		return Source{}, fmt.Errorf("weights: %s: %w; fetch %s elsewhere and put it at %s", k.Name, err, f.From, path)
	case err != nil:
		return Source{}, fmt.Errorf("weights: %s: %w", k.Name, err)
	case sum != "":
		if err := disk.WriteFile(path+".sha256", []byte(sum+"  "+k.File+"\n"), 0o644); err != nil {
			return Source{}, fmt.Errorf("weights: %w", err)
		}
	}
	return Places{Cache: p.Cache}.Find(k.Name)
}

// stated is the checksum that the hub states of a file's content, in its own answer and not in that of the store that it sends one to.
func stated(answer *http.Response) string {
	etag := strings.ToLower(strings.Trim(answer.Header.Get("X-Linked-Etag"), `"`))
	if _, err := hex.DecodeString(etag); err != nil || len(etag) != 2*sha256.Size {
		return ""
	}
	return etag
}
