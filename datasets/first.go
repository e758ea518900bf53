package datasets

import "sort"

// First is a set that shows only the first images, and of each only the first captions; 0 shows all. Classes and shards are carried
// over, and so is the relation unless captions are left out, since it counts captions.
func First(s Set, images, captions int) Set {
	if images == 0 && captions == 0 {
		return s
	}
	f := first{s, s.Len(), captions}
	if images > 0 {
		f.images = min(images, s.Len())
	}
	if related, ok := s.(Related); ok && captions == 0 {
		return carry(f, firstRelation{f, related}, s)
	}
	return carry(f, nil, s)
}

type first struct {
	Set
	images, captions int
}

// Len is the number of images shown.
func (f first) Len() int { return f.images }

// Captions lists the captions of image i that are shown.
func (f first) Captions(i int) []string {
	all := f.Set.Captions(i)
	if f.captions == 0 {
		return all
	}
	return all[:min(f.captions, len(all))]
}

func (f first) whole() Set { return f.Set }

// Shards are those that the images shown begin in.
func (f first) Shards() []int {
	all := shards(f.Set)
	return all[:sort.SearchInts(all, f.images)]
}

// firstRelation is that of the first images with all their captions: their pairs are the first ones of the whole set.
type firstRelation struct {
	shown first
	whole Related
}

// Relation is that of the whole set; of benchmarks, the answers among what is shown.
func (f firstRelation) Relation() Relation {
	whole := f.whole.Relation()
	if b, ok := whole.(Benchmarked); ok {
		return firstBenchmarked{b, f.shown.images, len(Pairs(f.shown))}
	}
	return whole
}

// firstBenchmarked is the relation of a set of which the first images and pairs are shown.
type firstBenchmarked struct {
	Benchmarked
	images, pairs int
}

// Answers are those among what is shown.
func (f firstBenchmarked) Answers() map[Benchmark]Answers {
	shown := map[Benchmark]Answers{}
	for name, a := range f.Benchmarked.Answers() {
		shown[name] = a.First(f.images, f.pairs)
	}
	return shown
}
