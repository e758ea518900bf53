package fusion

import "slices"

type opcode int64

// The operations, by the numbers under which package engine's Elementwise knows them.
const (
	add opcode = iota
	sub
	mul
	div
	greater
	greaterOrEqual
	less
	lessOrEqual
	equal
	neg
	sqrt
	abs
	keep
	where
)

var opcodes = map[string]opcode{
	"Add": add, "Sub": sub, "Mul": mul, "Div": div, "Neg": neg, "Sqrt": sqrt, "Abs": abs,
	"Greater": greater, "GreaterOrEqual": greaterOrEqual, "Less": less, "LessOrEqual": lessOrEqual, "Equal": equal, "Where": where,
}

func (c opcode) operands() int {
	switch {
	case c == where:
		return 3
	case c >= neg:
		return 1
	default:
		return 2
	}
}

func (c opcode) compares() bool { return c >= greater && c <= equal }

// program is what one fused operation computes. Registers hold as many numbers at a time as fit into a core's first cache: first come those
// of the inputs, then those of the outputs, then those that only the program itself uses.
type program struct {
	size         int // numbers of each output
	inputs       []operand
	outputs      []*value
	temporaries  int
	instructions []instruction
}

// instruction computes register to of as many registers as the operation has operands.
type instruction struct {
	code opcode
	to   int
	of   [3]int
}

// program is that of a group with some outputs.
func (g *group) program(outputs []*value) *program {
	p := &program{size: g.size, outputs: outputs}
	g.repeat()
	for _, n := range g.nodes {
		for _, v := range n.inputs {
			if o := v.seen(n.outputs[0].dims); !g.has[o.base.producer] && !slices.ContainsFunc(p.inputs, o.equal) {
				p.inputs = append(p.inputs, o)
			}
		}
	}
	last := map[*value]int{} // the last instruction that reads what stays within the program
	for at, n := range g.nodes {
		for _, v := range n.inputs {
			last[base(v)] = at
		}
	}
	register := map[*value]int{}
	for i, v := range p.outputs {
		register[v] = len(p.inputs) + i
	}
	find := func(v *value, to []int) int {
		o := v.seen(to)
		if g.has[o.base.producer] {
			return register[o.base]
		}
		return slices.IndexFunc(p.inputs, o.equal)
	}
	var free []int
	for at, n := range g.nodes {
		step := instruction{code: n.code}
		for i, v := range n.inputs {
			step.of[i] = find(v, n.outputs[0].dims)
		}
		for _, v := range n.needs() {
			if r, has := register[v]; has && g.has[v.producer] && last[v] == at && r >= len(p.inputs)+len(p.outputs) {
				free = append(free, r)
			}
		}
		out := n.outputs[0]
		if _, has := register[out]; !has {
			if len(free) > 0 {
				register[out], free = free[len(free)-1], free[:len(free)-1]
			} else {
				register[out] = len(p.inputs) + len(p.outputs) + p.temporaries
				p.temporaries++
			}
		}
		step.to = register[out]
		p.instructions = append(p.instructions, step)
	}
	return p
}

// encode writes a program as Elementwise reads it: size, counts of inputs, outputs, temporaries and instructions; of each input the place
// of its first number, the number of axes and of each of them length, stride, from and to; of each output the number of axes and their
// lengths; of each instruction code, to and three operands.
func (p *program) encode() []int64 {
	code := []int64{int64(p.size), int64(len(p.inputs)), int64(len(p.outputs)), int64(p.temporaries), int64(len(p.instructions))}
	numbers := func(ns ...int) {
		for _, n := range ns {
			code = append(code, int64(n))
		}
	}
	for _, in := range p.inputs {
		numbers(in.offset, len(in.axes))
		for _, a := range in.axes {
			numbers(a.length, a.stride, a.from, a.to)
		}
	}
	for _, out := range p.outputs {
		numbers(len(out.dims))
		numbers(out.dims...)
	}
	for _, i := range p.instructions {
		numbers(int(i.code), i.to, i.of[0], i.of[1], i.of[2])
	}
	return code
}
