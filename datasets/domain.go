package datasets

// The domains of images that captions are written for, as in NoCaps (Agrawal et al., 2019): those whose objects are all of classes that the
// training captions speak of, some of them, and none.
const (
	InDomain    = "in"
	NearDomain  = "near"
	OutOfDomain = "out"
)

// Domains are those that there are, the most familiar first.
var Domains = []string{InDomain, NearDomain, OutOfDomain}

// Domained is a Set that tells how far its images are from those that one has learned from.
type Domained interface {
	Set
	// Domain is that of image i, one of Domains.
	Domain(i int) string
}

// WithDomains are the domains of the images of a set, or of the set that it is a view of; nil where nothing tells them.
func WithDomains(s Set) Domained {
	for of := range behind(s) {
		if domained, ok := of.(Domained); ok {
			return domained
		}
	}
	return nil
}
