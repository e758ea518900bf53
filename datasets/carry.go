package datasets

// shards are those of a set; nil where it does not tell.
func shards(s Set) []int {
	if sharded, ok := s.(Sharded); ok {
		return sharded.Shards()
	}
	return nil
}

// view is a set that shows another one's images, by the same indices.
type view interface {
	Sharded
	whole() Set
}

// relating, labelling and boxing are what Related, Labelled and Boxed add to a Set.
type (
	relating interface {
		Relation() Relation
	}
	labelling interface {
		Class(i int) int
		Classes() []string
	}
	boxing interface {
		Boxes(i int) []Box
	}
)

// carry is a view of a set with the view's relation, if that is not nil, and with the set's classes and boxes, if it has any: a type
// assertion finds on a view what is known of its images. The images of the view are the set's, by the same indices.
func carry(shown view, relation relating, of Set) Set {
	labels, labelled := of.(Labelled)
	boxes, boxed := of.(Boxed)
	switch {
	case relation != nil && labelled && boxed:
		return struct {
			view
			relating
			labelling
			boxing
		}{shown, relation, labels, boxes}
	case relation != nil && boxed:
		return struct {
			view
			relating
			boxing
		}{shown, relation, boxes}
	case labelled && boxed:
		return struct {
			view
			labelling
			boxing
		}{shown, labels, boxes}
	case boxed:
		return struct {
			view
			boxing
		}{shown, boxes}
	case relation != nil && labelled:
		return struct {
			view
			relating
			labelling
		}{shown, relation, labels}
	case relation != nil:
		return struct {
			view
			relating
		}{shown, relation}
	case labelled:
		return struct {
			view
			labelling
		}{shown, labels}
	}
	return shown
}
