package fusion

import "slices"

// What a few steps make of one large tensor is computed again by each group that needs it, where that tensor is there anyway: reading it
// takes no longer than reading what was made of it, and nothing is written.

const (
	large     = 4096 // numbers from which this is worth it
	mostSteps = 4
)

// outputs are the values of a group that are written for others.
func (g *group) outputs() []*value {
	var outputs []*value
	for _, n := range g.nodes {
		out := n.outputs[0]
		if out.again {
			continue // a comparison
		}
		outside := slices.DeleteFunc(slices.Clone(out.users), func(user *node) bool { return !g.reaches(user) })
		if !out.result && len(outside) == 0 {
			continue
		}
		repeatable := !out.result && g.size >= large && g.level(out) == whole &&
			!slices.ContainsFunc(outside, func(user *node) bool { return !user.reads(out) })
		if steps := g.steps(out, outputs); repeatable && steps <= mostSteps {
			g.markAgain(out, outputs)
		} else {
			outputs = append(outputs, out)
		}
	}
	return outputs
}

// reaches tells whether a node, or a comparison by it, is computed outside of the group.
func (g *group) reaches(n *node) bool {
	return !g.has[n] || n.outputs[0].again && slices.ContainsFunc(n.outputs[0].users, func(user *node) bool { return !g.has[user] })
}

// reads tells whether a node is an elementwise operation that reads a tensor number by number as it lies.
func (n *node) reads(v *value) bool {
	return n.kind == elementwise && n.outputs[0].size() == v.size() && !slices.ContainsFunc(n.inputs, func(in *value) bool {
		o := in.seen(n.outputs[0].dims)
		return base(in) == v && (o.base != v || !o.contiguous())
	})
}

// steps is how many operations make v, of this group, of a tensor that is written; many where they take more than one.
func (g *group) steps(v *value, written []*value) int {
	if v.producer.kind == rowSum {
		return mostSteps + 1
	}
	from := g.source(v)
	if from == nil {
		return mostSteps + 1
	}
	steps := 1
	if code := v.producer.code; code == div || code == sqrt {
		steps = 2
	}
	if g.has[from.producer] && !slices.Contains(written, from) || from.again {
		return steps + g.steps(from, written)
	}
	return steps
}

// source is the one tensor of a group's size that v is computed of, or nil.
func (g *group) source(v *value) *value {
	var from *value
	for _, in := range v.producer.inputs {
		switch o := in.seen(v.dims); {
		case !o.contiguous() && o.base.size() < g.size && !g.has[o.base.producer]:
		case !o.contiguous() || from != nil && from != o.base:
			return nil
		default:
			from = o.base
		}
	}
	return from
}

func (g *group) markAgain(v *value, written []*value) {
	v.again = true
	if from := g.source(v); g.has[from.producer] && !slices.Contains(written, from) {
		g.markAgain(from, written)
	}
}

// repeat takes in what the group needs that was left to it to compute again.
func (g *group) repeat() {
	var nodes []*node
	placed := map[*node]bool{}
	var place func(n *node)
	place = func(n *node) {
		if placed[n] {
			return
		}
		placed[n] = true
		for _, v := range n.needs() {
			if v.again && !g.has[v.producer] {
				place(v.producer)
			}
		}
		nodes = append(nodes, n)
	}
	for _, n := range g.nodes {
		place(n)
	}
	for _, n := range nodes {
		g.has[n] = true
	}
	g.nodes = nodes
}
