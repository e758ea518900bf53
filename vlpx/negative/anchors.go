package negative

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Names of anchors, below which their state lies.
const (
	ImageAnchors = "image"
	TextAnchors  = "text"
)

// Anchors are the samples of one kind in a mini-batch, each with its candidates: what a contrast draws it to or pushes it away from.
//
// Images and captions are two kinds with one view a sample, and the candidates of one are the samples of the other. Views of images are one
// kind: the candidates of a view are all views of all images, view by view. What is kept of a sample from step to step, such as a
// threshold, is shared by its views.
type Anchors struct {
	Of      string // ImageAnchors or TextAnchors
	Cosines *Node  // with the candidates, [batch, views, candidates]
	// Positive marks the other views of the sample itself, or its pair's other half; Negative marks what belongs to other samples. A view
	// is neither to itself. bool, [batch, views, candidates].
	Positive, Negative *Node
}

// Anchors are the kinds of anchors of a mini-batch: images and captions, or images by their views.
func (f Features) Anchors() []Anchors {
	batch := f.Image.Shape().Dim(0)
	if !f.Views {
		cosines := objective.Cosines(f.Image, f.Text)
		own := InsertAxes(Diagonal(cosines.Graph(), batch), 1)
		kind := func(of string, cosines *Node) Anchors {
			return Anchors{Of: of, Cosines: InsertAxes(cosines, 1), Positive: own, Negative: LogicalNot(own)}
		}
		return []Anchors{kind(ImageAnchors, cosines), kind(TextAnchors, Transpose(cosines, 0, 1))}
	}
	views := f.AllViews()
	all := Concatenate(views, 0)
	same := Concatenate(slices.Repeat([]*Node{Diagonal(all.Graph(), batch)}, len(views)), 1) // [batch, candidates]
	var cosines, own, negative []*Node
	for v, view := range views {
		cosines = append(cosines, MatMul(view, Transpose(all, 0, 1)))
		others := slices.Repeat([]*Node{Diagonal(all.Graph(), batch)}, len(views))
		others[v] = LogicalNot(OnesLike(others[v]))
		own, negative = append(own, Concatenate(others, 1)), append(negative, LogicalNot(same))
	}
	return []Anchors{{Of: ImageAnchors, Cosines: Stack(cosines, 1), Positive: Stack(own, 1), Negative: Stack(negative, 1)}}
}

// AllViews are the embeddings of the views of a mini-batch of images, [batch, dim] each.
func (f Features) AllViews() []*Node { return append([]*Node{f.Image, f.Text}, f.Support...) }

// Views is the number of views a sample.
func (a Anchors) Views() int { return a.Cosines.Shape().Dim(1) }

// Mean is the mean of values over the candidates that a mask marks, [batch, views]; 0 where it marks none.
func (a Anchors) Mean(values, mask *Node) *Node {
	weights := numbers(mask, values)
	return Div(ReduceSum(Mul(values, weights), -1), MaxScalar(ReduceSum(weights, -1), 1))
}

// numbers are those of a mask, 1 or 0, of the type of other numbers; nothing carries gradient to a mask.
func numbers(mask, like *Node) *Node { return StopGradient(ConvertDType(mask, like.DType())) }

// softmax is InfoNCE of the anchors: twice the mean over samples and views of the cross entropy against their own candidates in equal
// parts, which is the sum of two views, a scalar in nats. Negatives that the method leaves out do not count.
func (f Features) softmax(a Anchors) *Node {
	logits := Div(a.Cosines, f.Temperature)
	logits = Where(LogicalOr(a.Positive, a.Negative), logits, ConstAs(logits, -1e30))
	targets := numbers(f.Attracted(a), logits)
	if f.Left != nil {
		logits = f.Left.leave(logits, f.Found(a), a.Negative)
	}
	targets = Div(targets, ReduceAndKeep(targets, ReduceSum, -1))
	rows := []int{-1, logits.Shape().Dim(-1)}
	return MulScalar(objective.CrossEntropy(Reshape(logits, rows...), Reshape(targets, rows...)), 2)
}
