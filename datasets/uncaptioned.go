package datasets

// Uncaptioned is a set without its captions, so that each image is one pair. Classes and shards are carried over; the relation is not,
// since it is of captions.
func Uncaptioned(s Set) Set { return carry(uncaptioned{s}, nil, s) }

type uncaptioned struct{ Set }

// Captions are none.
func (uncaptioned) Captions(int) []string { return nil }

func (u uncaptioned) whole() Set { return u.Set }

// Shards are those of the set.
func (u uncaptioned) Shards() []int { return shards(u.Set) }
