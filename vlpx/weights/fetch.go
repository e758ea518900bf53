package weights

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Hub is where known checkpoints are published. $HF_ENDPOINT names another address, as for the hub's own tools.
func Hub() string {
	if endpoint := os.Getenv("HF_ENDPOINT"); endpoint != "" {
		return strings.TrimRight(endpoint, "/")
	}
	return "https://huggingface.co"
}

// dialling bounds the wait for a connection and for the first bytes of an answer: without a network a fetch fails within seconds.
const dialling = 10 * time.Second

// Fetch gets a known checkpoint from a hub into the cache folder of the places, unless it is there, and returns it. What a former call
// got is gone on from. The whole file must have the checksum that Known or, without one, the hub states for it; the checksum is kept
// beside it. progress, if not nil, hears of the bytes that are there, of how many.
func (p Places) Fetch(ctx context.Context, k Known, hub string, progress func(done, total int64)) (Source, error) {
	folder := filepath.Join(p.Cache, k.Name)
	path := filepath.Join(folder, k.File)
	if _, err := os.Stat(path); err == nil {
		return Places{Cache: p.Cache}.Find(k.Name)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Source{}, fmt.Errorf("weights: %w; choose another place with VLPX_HOME or -home", err)
	}
	lock := flock.New(path + ".lock")
	if got, err := lock.TryLock(); err != nil || !got {
		return Source{}, errors.Join(fmt.Errorf("weights: another process fetches %s to %s; wait for it", k.Name, path), err)
	}
	defer lock.Unlock()
	d := download{
		from: fmt.Sprintf("%s/%s/resolve/%s/%s", hub, k.Hub, url.PathEscape(k.Revision), k.File),
		part: path + ".part", sum: k.SHA256, progress: progress,
	}
	if err := d.get(ctx); err != nil {
		if errors.Is(err, errUnreachable) && ctx.Err() == nil {
			return Source{}, fmt.Errorf("weights: %s: %w; fetch %s elsewhere and put it at %s", k.Name, err, d.from, path)
		}
		return Source{}, fmt.Errorf("weights: %s: %w", k.Name, err)
	}
	if err := sound(d.part); err != nil {
		return Source{}, fmt.Errorf("weights: %s: %w", d.part, err)
	}
	if err := os.WriteFile(path+".sha256", []byte(d.sum+"  "+k.File+"\n"), 0o644); err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	if err := os.Rename(d.part, path); err != nil {
		return Source{}, fmt.Errorf("weights: %w", err)
	}
	return Places{Cache: p.Cache}.Find(k.Name)
}

// errUnreachable is that of a hub that gives no answer.
var errUnreachable = errors.New("the hub cannot be reached")

// download is a file on its way.
type download struct {
	from, part string
	sum        string // its SHA-256, as it is known or, if it is empty, as the hub states it
	progress   func(done, total int64)
}

// client asks the hub. What the hub states of a file's content stands in its own answer, not in that of the store that it sends one to.
func (d *download) client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: dialling}).DialContext
	transport.TLSHandshakeTimeout, transport.ResponseHeaderTimeout = dialling, dialling
	return &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 10 {
			return errors.New("it is sent on again and again")
		}
		d.state(r.Response)
		return nil
	}}
}

// state takes the checksum that the hub states, unless one is known.
func (d *download) state(answer *http.Response) {
	etag := strings.ToLower(strings.Trim(answer.Header.Get("X-Linked-Etag"), `"`))
	if _, err := hex.DecodeString(etag); err == nil && len(etag) == 2*sha256.Size && d.sum == "" {
		d.sum = etag
	}
}

// get fetches what the part does not have yet, and verifies the whole.
func (d *download) get(ctx context.Context) error {
	file, err := os.OpenFile(d.part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	have, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	client := d.client()
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.from, nil)
	if err != nil {
		return err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreachable, err)
	}
	defer answer.Body.Close()
	d.state(answer)
	if d.sum == "" && answer.StatusCode < 400 {
		return fmt.Errorf("%s: the hub states no checksum, and none is known: what it gives cannot be verified", d.from)
	}
	switch answer.StatusCode {
	case http.StatusPartialContent:
	case http.StatusOK: // the whole, though a part was asked for
		if err := file.Truncate(0); err != nil {
			return err
		}
		if have, err = file.Seek(0, io.SeekStart); err != nil {
			return err
		}
	case http.StatusRequestedRangeNotSatisfiable: // the part is the whole, or no part of it
		return d.verify(file)
	default:
		return fmt.Errorf("%s: %s", d.from, answer.Status)
	}
	total := int64(-1)
	if answer.ContentLength >= 0 {
		total = have + answer.ContentLength
	}
	if _, err := io.Copy(file, &counted{answer.Body, have, total, d.progress}); err != nil {
		return fmt.Errorf("%s: cut off: %w; the same command goes on from there", d.from, err)
	}
	return d.verify(file)
}

// verify holds the part against the checksum; another one is removed.
func (d *download) verify(file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != d.sum {
		return errors.Join(fmt.Errorf("%s: its SHA-256 is %s, want %s; it was removed, fetch it again", d.from, got, d.sum),
			os.Remove(d.part))
	}
	return file.Sync()
}

// counted tells how many bytes were read.
type counted struct {
	io.Reader
	done, total int64
	progress    func(done, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.done += int64(n)
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
	return n, err
}
