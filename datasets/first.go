package datasets

// FirstCaptions is a set that shows only the first n captions of each image; n = 0 shows all. The relation is not carried
// over, since it counts captions.
func FirstCaptions(s Set, n int) Set {
	if n == 0 {
		return s
	}
	return firstCaptions{s, n}
}

type firstCaptions struct {
	Set
	n int
}

// Captions lists at most the first n captions of image i.
func (f firstCaptions) Captions(i int) []string {
	all := f.Set.Captions(i)
	return all[:min(f.n, len(all))]
}
