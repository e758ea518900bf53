// Package fetch gets files over HTTP. What a former call got is gone on from, and a file appears at its place whole or not at all.
package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
)

// waiting bounds the wait for a connection, for an answer and for the next byte: without a network a fetch fails within seconds, and a
// server that stalls is left.
const waiting = 10 * time.Second

// ErrUnreachable is the error of a server that gives no answer.
var ErrUnreachable = errors.New("the server cannot be reached")

// File is a file to get.
type File struct {
	From, To string // its address, and its place here; one of the hub gets the user's token
	SHA256   string // its checksum in hex; "" where none is known
	// States reads the checksum from an answer, or from one that sends the request on, where SHA256 is empty. Where it is set there must be
	// one.
	States func(*http.Response) string
	// Sound judges the whole file before it is put in its place.
	Sound func(path string) error
	Most  int64 // the bytes that it may have; 0 for any number

	wait   time.Duration // waiting; tests wait shorter
	synced int           // bytes after which a part is synced; 0 for 16 MiB
}

// Get gets the file, unless it is there, and returns its SHA-256; "" where it was there. What is not whole lies beside its place in a file
// .part, which is locked: a second process is refused. What of the part is surely on the disk is gone on from where a checksum is known,
// or the server tells that its file is still the same. Progress, if not nil, hears of the bytes that are there, of how many; of -1 where
// the server does not say.
func (f File) Get(ctx context.Context, progress func(done, total int64)) (sum string, err error) {
	if _, err := disk.Stat(f.To); err == nil {
		return "", nil
	}
	if err := disk.MkdirAll(filepath.Dir(f.To)); err != nil {
		return "", err
	}
	part := f.To + ".part"
	lock := disk.NewLock(part)
	if got, err := lock.TryLock(); err != nil || !got {
		return "", errors.Join(fmt.Errorf("another process fetches %s; wait for it", f.To), err)
	}
	defer lock.Unlock()
	if _, err := disk.Stat(f.To); err == nil { // since the first look
		return "", errors.Join(disk.Remove(part))
	}
	d := download{File: f, part: part, progress: progress}
	d.wait, d.synced = cmp.Or(d.wait, waiting), cmp.Or(d.synced, 16<<20)
	if sum, err = d.get(ctx); err != nil {
		if info, e := disk.Stat(part); e == nil && info.Size() == 0 {
			err = errors.Join(err, d.remove())
		}
		return "", err
	}
	if f.Sound != nil {
		if err := f.Sound(part); err != nil {
			return "", errors.Join(fmt.Errorf("%s: %w; what came was removed", f.From, err), d.remove())
		}
	}
	if err := d.forget(); err != nil {
		return "", err
	}
	if err := disk.Rename(part, f.To); err != nil {
		return "", err
	}
	return sum, disk.SyncDir(filepath.Dir(f.To))
}

// download is a file on its way.
type download struct {
	File
	part     string
	progress func(done, total int64)
}

// versionOf is what tells a file from a later one: its tag, unless that is a weak one, or else its date.
func versionOf(answer *http.Response) string {
	if tag := answer.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return answer.Header.Get("Last-Modified")
}

func (d *download) remove() error { return errors.Join(d.forget(), disk.Remove(d.part)) }

// client does as the default one, but waits shorter, leaves files as they are, reads a checksum from each answer on the way, and never goes
// on without TLS from where there was some.
func (d *download) client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: d.wait}).DialContext
	transport.TLSHandshakeTimeout, transport.ResponseHeaderTimeout = d.wait, d.wait
	transport.DisableCompression = true
	return &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 10 {
			return errors.New("it is sent on again and again")
		}
		if via[0].URL.Scheme == "https" && r.URL.Scheme != "https" { // a token would go along, within a host
			return fmt.Errorf("it is sent on to %s://%s, where anybody on the way can read and change what is sent", r.URL.Scheme, r.URL.Host)
		}
		d.state(r.Response)
		return nil
	}}
}

// state takes the checksum that an answer states, unless one is known.
func (d *download) state(answer *http.Response) {
	if d.SHA256 == "" && d.States != nil {
		d.SHA256 = d.States(answer)
	}
}

// get gets what the part does not have yet, and verifies the whole.
func (d *download) get(ctx context.Context) (sum string, err error) {
	file, err := disk.OpenFile(d.part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer file.Close()
	have, version, err := d.kept(file)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.From, nil)
	if err != nil {
		return "", err
	}
	authorise(request)
	if have > 0 && (version != "" || d.SHA256 != "" || d.States != nil) {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		if version != "" {
			request.Header.Set("If-Range", version)
		}
	}
	client := d.client()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer answer.Body.Close()
	d.state(answer)
	if d.SHA256 == "" && d.States != nil && answer.StatusCode < 400 {
		return "", fmt.Errorf("%s: the server states no checksum, and none is known: what it gives cannot be verified", d.From)
	}
	switch answer.StatusCode {
	case http.StatusPartialContent:
		if from := fmt.Sprintf("bytes %d-", have); !strings.HasPrefix(answer.Header.Get("Content-Range"), from) {
			return "", errors.Join(fmt.Errorf("%s: the server gives the range %q, asked for one from byte %d; what came was removed",
				d.From, answer.Header.Get("Content-Range"), have), d.remove())
		}
	case http.StatusOK: // the whole, though a part was asked for
		have = 0
	case http.StatusRequestedRangeNotSatisfiable: // the part is the whole, or no part of it
		if d.SHA256 == "" && answer.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", have) {
			return "", errors.Join(fmt.Errorf("%s: the server has a shorter file than what came of it, which was removed; fetch it again",
				d.From), d.remove())
		}
		return d.verify(file)
	case http.StatusUnauthorized, http.StatusForbidden:
		return "", fmt.Errorf("%s: %s; %s", d.From, answer.Status, refused(d.From))
	default:
		return "", fmt.Errorf("%s: %s", d.From, answer.Status)
	}
	if now := versionOf(answer); now != "" || have == 0 {
		version = now
	}
	to := &part{File: file, download: d, bytes: have, version: version}
	if err := to.begin(); err != nil {
		return "", err
	}
	total := int64(-1)
	if answer.ContentLength >= 0 {
		total = have + answer.ContentLength
	}
	body := &body{Reader: answer.Body, done: have, total: total, most: d.Most, progress: d.progress, wait: d.wait}
	body.stalled = time.AfterFunc(d.wait, func() { cancel(fmt.Errorf("no byte came for %v", d.wait)) })
	defer body.stalled.Stop()
	if total > d.Most && d.Most > 0 {
		return "", fmt.Errorf("%s: %w", d.From, body.tooMany())
	}
	if err := to.receive(body); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if errors.Is(err, errTooMany) {
			return "", errors.Join(fmt.Errorf("%s: %w; what came was removed", d.From, err), d.remove())
		}
		return "", fmt.Errorf("%s: %w: %w; the same command goes on from there", d.From, errCut, err)
	}
	return d.verify(file)
}

var (
	errTooMany = errors.New("it has more bytes than are allowed")
	errCut     = errors.New("cut off")
)

// verify returns the checksum of the part, which is removed where it is another than is known.
func (d *download) verify(file *disk.File) (string, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(digest.Sum(nil))
	if d.SHA256 != "" && sum != strings.ToLower(d.SHA256) {
		return "", errors.Join(fmt.Errorf("%s: its SHA-256 is %s, want %s; it was removed, fetch it again", d.From, sum, d.SHA256),
			d.remove())
	}
	return sum, nil
}

// body is what comes, counted, bounded and watched.
type body struct {
	io.Reader
	done, total, most int64
	progress          func(done, total int64)
	wait              time.Duration
	stalled           *time.Timer
}

func (b *body) tooMany() error { return fmt.Errorf("%w, %d", errTooMany, b.most) }

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if n > 0 {
		b.stalled.Reset(b.wait)
	}
	b.done += int64(n)
	if b.most > 0 && b.done > b.most {
		return 0, b.tooMany()
	}
	if b.progress != nil {
		b.progress(b.done, b.total)
	}
	return n, err
}
