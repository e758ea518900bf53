package fetch

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets/place"
)

// Shards are the files of addresses of shards, such as https://HOST/cc3m/{00000..00331}.tar, below a folder. One with a split in
// front, such as val=https://HOST/val.tar, goes into the folder of the split, any other one into train's. sums, if not nil, has the SHA-256
// of each by its name.
func Shards(addresses []string, dir string, sums map[string]string) ([]File, error) {
	var files []File
	at := map[string]string{}
	for _, address := range addresses {
		places, err := place.Parse(address)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			if !p.Remote() {
				return nil, fmt.Errorf("%s: write http:// or https:// and a host; a folder here needs no fetching", address)
			}
			some, err := shardsOf(p, filepath.Join(dir, p.Split), sums)
			if err != nil {
				return nil, err
			}
			for _, f := range some {
				if other, taken := at[f.To]; taken {
					return nil, fmt.Errorf("%s and %s have the same name %s; fetch one of them into another folder", other, f.From,
						filepath.Base(f.To))
				}
				at[f.To] = f.From
			}
			files = append(files, some...)
		}
	}
	return files, nil
}

// shardsOf are the files of an address of shards, in a folder.
func shardsOf(p place.Place, dir string, sums map[string]string) ([]File, error) {
	names, err := p.Names()
	if err != nil {
		return nil, err
	}
	var files []File
	for _, name := range names {
		f := File{From: p.Dir + "/" + name + p.Query, To: filepath.Join(dir, name), SHA256: sums[name], Sound: sound[p.Ending()]}
		if f.SHA256 == "" && sums != nil {
			return nil, fmt.Errorf("%s: the file of checksums has none of %s", f.From, name)
		}
		files = append(files, f)
	}
	return files, nil
}

// sound tells a shard by its ending from something else, such as a page that tells of an error.
var sound = map[string]func(path string) error{place.Tar: isTar, place.Parquet: isParquet}

// isParquet is an error where a file does not begin and end as parquet does.
func isParquet(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var mark [2][4]byte
	_, err = io.ReadFull(f, mark[0][:])
	if err == nil {
		_, err = f.Seek(-4, io.SeekEnd)
	}
	if err == nil {
		_, err = io.ReadFull(f, mark[1][:])
	}
	if parquet := [4]byte([]byte("PAR1")); err != nil || mark[0] != parquet || mark[1] != parquet {
		return errors.New("what came is no parquet; look at the address in a browser")
	}
	return nil
}

// isTar is an error where a file does not begin as a tar does.
func isTar(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := tar.NewReader(bufio.NewReader(f)).Next(); err != nil && err != io.EOF {
		return errors.New("what came is no tar; look at the address in a browser")
	}
	return nil
}

// Size asks the server for the bytes of the file; -1 where it does not say.
func (f File) Size(ctx context.Context) (int64, error) {
	d := download{File: f}
	d.wait = cmp.Or(d.wait, waiting)
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, f.From, nil)
	if err != nil {
		return -1, err
	}
	authorise(request)
	client := d.client()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return -1, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return -1, fmt.Errorf("%s: %s", f.From, answer.Status)
	}
	return answer.ContentLength, nil
}

const (
	atOnce = 4 // files that come at the same time
	tries  = 3 // of a file of which no byte comes any more
)

// All gets files, some at a time, each again from where it was cut off as long as more of it comes. The first that cannot be had ends
// it. Progress hears of the files and bytes that came.
func All(ctx context.Context, files []File, progress func(files int, bytes int64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done, bytes atomic.Int64
	var workers sync.WaitGroup
	for range min(atOnce, len(files)) {
		workers.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(files)) && ctx.Err() == nil; n = next.Add(1) - 1 {
				have := int64(0)
				err := files[n].persist(ctx, func(d, _ int64) {
					progress(int(done.Load()), bytes.Add(d-have))
					have = d
				})
				if err != nil {
					cancel(err)
					return
				}
				progress(int(done.Add(1)), bytes.Load())
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// persist gets a file by as many attempts as bring something.
func (f File) persist(ctx context.Context, progress func(done, total int64)) error {
	most := int64(0)
	for left := tries; ; left-- {
		got := most
		_, err := f.Get(ctx, func(done, total int64) {
			most = max(most, done)
			progress(done, total)
		})
		if most > got {
			left = tries + 1
		}
		if err == nil || ctx.Err() != nil || left == 1 || !errors.Is(err, errCut) {
			return err
		}
	}
}
