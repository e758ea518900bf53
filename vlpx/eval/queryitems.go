package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Items are what the single queries of a split gave, from which every metric of [Recall] and [TrueRecall] is had again, of these
// queries or of any choice of the images, as a bootstrap makes it. See [Items.Shares].
type Items struct {
	// Captions is the number of captions of each image, [images].
	Captions Numbers
	// Queries has a number for each query: a list that begins with TR one for each image, [images]; one that begins with IR one for each
	// caption, [captions], those of image 0 first. Lists of ranks, from 1, are TRRank and IRRank for the best own candidate, " true"
	// behind these for the best true one, " false" for the best own one where only false ones compete, and " tied" for its place among
	// equals; other metrics, such as TRMAP and IRMAP, are in millionths. CosinePrefix before a list is without re-ranking.
	Queries map[Metric]Numbers
}

// QueryItems are the items of [Retrieval].
var QueryItems = NewKind[*Items]("Items")

// millionths is one in the unit of average precisions among [Items].
const millionths = 1e6

// Share is what each image adds to a mean over queries: the mean is the sum of Sums over that of Queries.
type Share struct {
	Sums    []float64 // over the image's queries, of what each adds to the metric, [images]
	Queries []float64 // how many these are: 1, or the image's captions, [images]
}

// Shares returns what each image adds to a metric, which is the sum of the shares' means; nil for a metric that is none of single
// queries (such as an AUC) or that was not measured. With CosinePrefix it is that without re-ranking. Means of average precision are
// within 5e-5 per cent of the metric, all others exact but for rounding.
func (it *Items) Shares(metric string) []Share {
	name, cosine := strings.CutPrefix(metric, CosinePrefix)
	parts, over := [][]Metric{{Metric(name)}}, 1.
	for _, s := range sums {
		if string(s.Metric) == name {
			parts, over = s.of, s.over
		}
	}
	var shares []Share
	for _, metrics := range parts {
		share, ok := it.share(metrics, over, cosine)
		if !ok {
			return nil
		}
		shares = append(shares, share)
	}
	return shares
}

// share is what each image adds to the sum of metrics of one direction over a number.
func (it *Items) share(metrics []Metric, over float64, cosine bool) (Share, bool) {
	var measures []measure
	var lists []Numbers
	var asks direction
	for _, v := range views {
		for _, m := range v.measures() {
			for d := range directions {
				if !slices.Contains(metrics, m.metric(direction(d))) {
					continue
				}
				name := v.list(m, direction(d))
				if cosine {
					name = CosinePrefix + name
				}
				list, ok := it.Queries[name]
				if !ok {
					return Share{}, false
				}
				measures, lists, asks = append(measures, m), append(lists, list), direction(d)
			}
		}
	}
	share := Share{make([]float64, len(it.Captions)), make([]float64, len(it.Captions))}
	query := 0
	for i, captions := range it.Captions {
		queries := 1
		if asks == 1 {
			queries = captions
		}
		for range queries {
			var all float64
			for k, m := range measures {
				all += m.adds(lists[k][query], over)
			}
			share.Sums[i] += all
			query++
		}
		share.Queries[i] = float64(queries)
	}
	return share, len(measures) > 0
}

// items keeps lists of both directions: image has one entry a caption in the captions' own order, of which own has those of each image.
func items(own [][]int, text, image map[Metric][]int) Items {
	it := Items{Queries: map[Metric]Numbers{}}
	for _, captions := range own {
		it.Captions = append(it.Captions, len(captions))
	}
	for metric, list := range text {
		it.Queries[metric] = list
	}
	for metric, list := range image {
		ordered := make(Numbers, 0, len(list))
		for _, captions := range own {
			for _, t := range captions {
				ordered = append(ordered, list[t])
			}
		}
		it.Queries[metric] = ordered
	}
	return it
}

// with returns items that have the lists of both, those of more under a prefix.
func (it Items) with(prefix Metric, more Items) Items {
	it.Queries = maps.Clone(it.Queries)
	for metric, list := range more.Queries {
		it.Queries[prefix+metric] = list
	}
	return it
}

// Check reports what makes items unfit for use: lists of other lengths than the images and captions say.
func (it *Items) Check() error {
	captions := 0
	for _, n := range it.Captions {
		captions += n
	}
	for _, metric := range slices.Sorted(maps.Keys(it.Queries)) {
		want := len(it.Captions)
		if strings.HasPrefix(strings.TrimPrefix(string(metric), CosinePrefix), "IR") {
			want = captions
		}
		if got := len(it.Queries[metric]); got != want {
			return fmt.Errorf("eval: items: %d entries of %q, but %d queries", got, metric, want)
		}
	}
	return nil
}

// Numbers is a list of whole numbers, not below zero. As JSON it is a string with spaces between them, a quarter as long as a list.
type Numbers []int

// MarshalText writes the numbers with spaces between them.
func (n Numbers) MarshalText() ([]byte, error) {
	var text []byte
	for i, v := range n {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(v), 10)
	}
	return text, nil
}

// UnmarshalText reads what MarshalText writes.
func (n *Numbers) UnmarshalText(text []byte) error {
	*n = nil
	for i, field := range strings.Fields(string(text)) {
		v, err := strconv.ParseUint(field, 10, 31)
		if err != nil {
			return fmt.Errorf("eval: number %d is %q, not a whole number from 0", i+1, field)
		}
		*n = append(*n, int(v))
	}
	return nil
}

// inMillionths rounds a share.
func inMillionths(share float64) int { return int(math.Round(millionths * share)) }
