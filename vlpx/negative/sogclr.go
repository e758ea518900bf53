package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// Code is whose published code a global contrast follows; they differ in more than the papers say (METHODS.md 7 and 8).
type Code string

// Published codes.
const (
	ByAuthors Code = ""        // of the method's own authors
	ByISogCLR Code = "iSogCLR" // of iSogCLR's authors
	ByLibAUC  Code = "LibAUC"
)

// valid reports whether there is none of this name.
func (c Code) valid() error {
	switch c {
	case ByAuthors, ByISogCLR, ByLibAUC:
		return nil
	}
	return fmt.Errorf(
		"negative: no published code %q of a global contrast; there are %q and %q, and that of its own authors without a name", c,
		ByISogCLR, ByLibAUC)
}

// SogCLR is the global contrast whose loss is of gradients alone: each negative's cosine counts by its share in the anchor's u, which is
// taken for a constant (Yuan et al., 2022; METHODS.md 7). Its value says little, and no temperature learns from it. Of images and captions
// both are anchors.
type SogCLR struct {
	Gamma float64 // weight of a mini-batch's estimate, above 0 and up to 1; there is no default
	// Decay is the epochs over which the weight falls from 1 to Gamma, see [CosineGamma]; 0: it is Gamma throughout.
	Decay float64 `json:",omitempty"`
	// Temperature is constant; 0 for the framework's.
	Temperature float64 `json:",omitempty"`
	// As is the code that is followed; ByISogCLR's is that of images and captions, ByLibAUC's is GCLoss_v1 for views and GCLoss_v2 for
	// images and captions.
	As Code `json:",omitempty"`
}

// form is a published code's loss.
type form struct {
	global
	summed bool // over the negatives instead of their mean, and averaged over the sides instead of their sum
}

// form is that of views or of images and captions.
func (c SogCLR) form(views bool) form {
	switch {
	case c.As == ByISogCLR:
		return form{global: global{first: noFirst, relative: true, bounded: true, own: true, epsilon: 1e-10}}
	case c.As == ByLibAUC && views:
		return form{global: global{first: firstBatchOfRun, floor: 1e-8}}
	case c.As == ByLibAUC:
		return form{global: global{first: firstBatchOfRun, relative: true, bounded: true, least: 1e-20}, summed: true}
	}
	return form{global: global{first: firstBatch}}
}

// Validate reports which value is out of its range.
func (c SogCLR) Validate() error {
	if err := validAverage("SogCLR", c.Gamma, c.Decay); err != nil {
		return err
	}
	if err := c.As.valid(); err != nil {
		return err
	}
	return validConstant("SogCLR", c.Temperature)
}

func validAverage(of string, gamma, decay float64) error {
	if !(gamma > 0 && gamma <= 1 && decay >= 0) {
		return fmt.Errorf("negative: %s with Gamma %g after %g epochs; take Gamma above 0 and up to 1, after 0 epochs or more", of,
			gamma, decay)
	}
	return nil
}

func validConstant(of string, temperature float64) error {
	if !(temperature >= 0) {
		return fmt.Errorf("negative: %s with a temperature of %g; take one above 0, or 0 for the framework's", of, temperature)
	}
	return nil
}

// Reads implements Reading.
func (SogCLR) Reads() []field.Name { return []field.Name{field.Index} }

// ListsNegatives implements Listing.
func (SogCLR) ListsNegatives() {}

// Attracts implements Attracting.
func (SogCLR) Attracts() {}

// Declare implements Stateful: u for each sample and kind of anchors, and its bound where the code has one.
func (c SogCLR) Declare(state *model.Scope, run Start) error {
	return c.form(run.ofViews()).declare(state, run, nil)
}

// ITC implements Contrast.
func (c SogCLR) ITC(f Features) Contrasted {
	form, tau := c.form(f.Views), f.constant(c.Temperature)
	gamma := CosineGamma(f.Progress, c.Gamma, c.Decay)
	loss := form.loss(f.Anchors(), func(a Anchors) estimate { return form.of(f, a, tau, gamma) })
	return f.contrasted(loss, func(Anchors) *Node { return tau })
}

// loss is that of the anchors by their estimates.
func (l form) loss(kinds []Anchors, of func(Anchors) estimate) *Node {
	loss := sides(kinds, func(a Anchors) *Node {
		e := of(a)
		value := e.weighed(e.x)
		if l.summed {
			value = Mul(value, e.count)
		}
		if !l.relative {
			value = Sub(value, e.positive)
		}
		return value
	})
	if l.summed {
		return MulScalar(loss, 0.5)
	}
	return loss
}

// constant is a temperature that does not learn, a scalar: the framework's if 0.
func (f Features) constant(temperature float64) *Node {
	if temperature == 0 {
		return StopGradient(f.Temperature)
	}
	return ConstAs(f.Image, temperature)
}

// contrasted is a loss with the similarities over the anchors' temperatures, a scalar or [batch, 1, 1] each.
func (f Features) contrasted(loss *Node, tau func(Anchors) *Node) Contrasted {
	i2t, t2i := f.crossed(func(a Anchors) *Node { return Div(a.Cosines, tau(a)) })
	return Contrasted{Loss: loss, I2T: i2t, T2I: t2i}
}

// ofViews reports whether the anchors are images by their views.
func (r Start) ofViews() bool { return len(r.Anchors) == 1 }

var sogCLR = Entry{
	Name:   "SogCLR",
	Source: "Yuan et al., 2022; METHODS.md 7",
	What:   "negatives of the whole data by a moving average an anchor",
	At:     Sizes.sogCLR,
}

func (s Sizes) sogCLR() Method {
	return contrasting(SogCLR{Gamma: s.Global.Gamma, Temperature: s.Global.Temperature})
}

// without is SogCLR that leaves negatives out.
func (s Sizes) without(l LeftOut) Method {
	m := s.sogCLR()
	m.LeftOut = l
	return m
}

// contrasting is a method that differs from the plain one in its contrast.
func contrasting(c Contrast) Method { return Method{Contrast: c}.WithDefaults() }
