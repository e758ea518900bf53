package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/place"
	"vlpx.internal/vlpx/fetch"
	"vlpx.internal/vlpx/run"
)

// cacheGB is how many gigabytes the shards of addresses may take where $VLPX_CACHE_GB does not say.
const cacheGB = 100

// Fetched are the options once the shards of addresses that Data and Data2 name are in the store's cache (shards/), and are what checksums
// beside them say. It says what is fetched. Of other data it does nothing.
func (o Options) Fetched(ctx context.Context) (Options, error) {
	here := map[string]string{}
	for _, name := range []string{o.Data, o.Data2} {
		if name == "" || name == "scenes" {
			continue
		}
		places, err := place.Parse(name)
		if err != nil {
			return o, fmt.Errorf("data %w", err)
		}
		if !slices.ContainsFunc(places, func(p place.Place) bool { return p.Remote() || p.Sums != "" }) {
			continue
		}
		cache, err := o.cache()
		if err != nil {
			return o, err
		}
		if places, err = cache.Local(ctx, places); err != nil {
			return o, fmt.Errorf("data %w", err)
		}
		if here[name], err = layout.Find(place.Name(places)); err != nil {
			return o, err
		}
	}
	o.here = here
	return o, nil
}

// cache is the store's.
func (o Options) cache() (fetch.Cache, error) {
	home, err := run.Home(o.Home)
	if err != nil {
		return fetch.Cache{}, err
	}
	c := fetch.Cache{Dir: filepath.Join(home, "shards"), Most: cacheGB * 1e9, Say: func(format string, args ...any) {
		if o.Say != nil {
			o.Say(fmt.Sprintf(format, args...))
		}
	}}
	if text := os.Getenv("VLPX_CACHE_GB"); text != "" {
		gigabytes, err := strconv.ParseFloat(text, 64)
		if err != nil || !(gigabytes > 0 && gigabytes < 1e9) {
			return c, fmt.Errorf("$VLPX_CACHE_GB is %q; write the gigabytes that fetched shards may take, such as %d", text, cacheGB)
		}
		c.Most = uint64(gigabytes * 1e9)
	}
	return c, nil
}
