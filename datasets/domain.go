package datasets

// Domain is how near what an image shows is to what a model was trained on, as NoCaps has it.
type Domain string

// Domains of NoCaps (Agrawal et al., 2019).
const (
	In   Domain = "in"   // every object is of a kind that the training captions name
	Near Domain = "near" // some are
	Out  Domain = "out"  // none is
)

// Domained is a Set whose images have a domain.
type Domained interface {
	Set
	// Domain is that of image i.
	Domain(i int) Domain
}

// Domains is what is known of the domains of a set, or of the set that it is a view of; nil where nothing is.
func Domains(s Set) Domained {
	for of := range behind(s) {
		if domained, ok := of.(Domained); ok {
			return domained
		}
	}
	return nil
}
