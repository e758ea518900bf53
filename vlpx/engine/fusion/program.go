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
	sum
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

// program is what one fused operation computes. Registers hold as many numbers at a time as fit into a core's first cache, of whole rows.
// First come those of the inputs, then those of the outputs, then those that only the program itself uses, of whole tensors and then of one
// number a row.
type program struct {
	size         int // numbers of a whole tensor
	columns      int // of a row; 1 where there are no rows
	inputs       []input
	outputs      []*value
	temporaries  [2]int // whole ones, and those of rows
	instructions []instruction
}

// instruction computes register to of as many registers as the operation has operands. One of them may be of rows where to is whole, or a
// single number.
type instruction struct {
	code opcode
	to   int
	of   [3]int
}

// level is what a register holds: numbers of whole tensors, one number a row, a row that is the same for all, or a single number.
type level int

const (
	whole level = iota
	row
	column
	single
)

// level is that of a value within a group.
func (g *group) level(v *value) level {
	if v.size() == g.size {
		return whole
	}
	return row
}

// input is what a program is given.
type input struct {
	level
	operand
}

func (i input) equal(j input) bool { return i.level == j.level && i.operand.equal(j.operand) }

// input is an operand, made simple, of an operation of a level, by the fewest numbers.
func (p *program) input(o operand, of level) input {
	last := len(o.axes) - 1
	rows := of == whole && last == 1 && o.axes[1].length == p.columns && o.axes[1].whole()
	switch {
	case last < 0 && p.size > 1, last == 0 && o.axes[0].stride == 0 && o.axes[0].whole():
		return input{single, operand{base: o.base, offset: o.offset}}
	case rows && o.axes[1].stride == 0:
		return input{row, operand{o.base, o.offset, o.axes[:1]}}
	case rows && o.axes[0].stride == 0 && o.axes[0].whole() && o.axes[1].stride == 1:
		return input{column, operand{o.base, o.offset, o.axes[1:]}}
	default:
		return input{of, o}
	}
}

// rows gives a group that sums none the rows of the first operand that repeats a row, or a number within each.
func (g *group) rows() {
	for _, n := range g.nodes {
		for _, v := range n.operands() {
			axes := n.seen(v).axes
			if len(axes) != 2 || !axes[0].whole() || !axes[1].whole() || (axes[0].stride == 0) == (axes[1].stride == 0) {
				continue
			}
			if columns := axes[1].length; g.columns == 0 && columns >= leastColumns && columns <= mostColumns {
				g.divided(columns)
			}
		}
	}
}

// reads is the level of what an operation of the group reads.
func (g *group) reads(n *node) level {
	if n.kind == rowSum {
		return whole
	}
	return g.level(n.outputs[0])
}

// assembler finds registers for what a group computes.
type assembler struct {
	*program
	group    *group
	register map[*value]int
	own      []level        // of the temporaries; their registers are told by numbers from firstOwn on until all are known
	free     [2][]int       // temporaries of each level that nothing reads any more
	spread   map[[2]int]int // temporaries of a level that hold a single number, or one of a row, all over
}

const firstOwn = 1 << 30

// program is that of a group with some outputs.
func (g *group) program(outputs []*value) *program {
	g.repeat()
	g.rows()
	a := &assembler{program: &program{size: g.size, columns: max(g.columns, 1), outputs: outputs}, group: g,
		register: map[*value]int{}, spread: map[[2]int]int{}}
	last := map[*value]int{} // the last instruction that reads what stays within the program
	for at, n := range g.nodes {
		for _, v := range n.operands() {
			if in := a.input(n.seen(v), g.reads(n)); !g.has[in.base.producer] && !slices.ContainsFunc(a.inputs, in.equal) {
				a.inputs = append(a.inputs, in)
			}
			last[base(v)] = at
		}
	}
	for i, v := range outputs {
		a.register[v] = len(a.inputs) + i
	}
	for at, n := range g.nodes {
		of := a.operands(n)
		for _, v := range n.needs() {
			if r, has := a.register[v]; has && r >= firstOwn && last[v] == at {
				a.free[g.level(v)] = append(a.free[g.level(v)], r)
			}
		}
		out := n.outputs[0]
		if _, has := a.register[out]; !has {
			a.register[out] = a.temporary(g.level(out))
		}
		a.instructions = append(a.instructions, instruction{n.code, a.register[out], of})
	}
	a.number()
	return a.program
}

// operands are the registers that an operation reads. Where more than one is not of the level of the operation, or one that cannot be, they
// are spread before.
func (a *assembler) operands(n *node) (of [3]int) {
	to := a.group.reads(n)
	alone := false
	for i, v := range n.operands() {
		in := a.input(n.seen(v), to)
		if a.group.has[in.base.producer] {
			of[i] = a.register[in.base]
		} else {
			of[i] = slices.IndexFunc(a.inputs, in.equal)
		}
		switch {
		case in.level == to, in.level == column && n.kind == elementwise:
		case alone || n.code.operands() == 1 || n.code == where && i == 0:
			of[i] = a.all(of[i], to)
		default:
			alone = true
		}
	}
	return of
}

// all is a register of a level that holds the number of another one all over.
func (a *assembler) all(of int, to level) int {
	r, has := a.spread[[2]int{of, int(to)}]
	if !has {
		r = firstOwn + len(a.own)
		a.own = append(a.own, to)
		a.instructions = append(a.instructions, instruction{keep, r, [3]int{of}})
		if of < len(a.inputs) {
			a.spread[[2]int{of, int(to)}] = r
		}
	}
	return r
}

// temporary is a register that nothing needs.
func (a *assembler) temporary(of level) int {
	free := &a.free[of]
	if last := len(*free) - 1; last >= 0 {
		r := (*free)[last]
		*free = (*free)[:last]
		return r
	}
	a.own = append(a.own, of)
	return firstOwn + len(a.own) - 1
}

// number gives the temporaries their registers, those of whole tensors first. Operands that an instruction does not have are its first one.
func (a *assembler) number() {
	place := make([]int, len(a.own))
	for _, of := range []level{whole, row} {
		for i, is := range a.own {
			if is == of {
				place[i] = len(a.inputs) + len(a.outputs) + a.temporaries[0] + a.temporaries[1]
				a.temporaries[of]++
			}
		}
	}
	final := func(r int) int {
		if r >= firstOwn {
			return place[r-firstOwn]
		}
		return r
	}
	for i := range a.instructions {
		step := &a.instructions[i]
		step.to = final(step.to)
		for j := range step.of {
			if j >= step.code.operands() {
				step.of[j] = step.of[0]
			}
			step.of[j] = final(step.of[j])
		}
	}
}

// encode writes a program as Elementwise reads it: size, columns, counts of inputs, outputs, both kinds of temporaries and instructions;
// of each input its level, the place of its first number, the number of axes and of each of them length, stride, from and to; of each
// output the number of axes and their lengths; of each instruction code, to and three operands.
func (p *program) encode() []int64 {
	var code []int64
	numbers := func(ns ...int) {
		for _, n := range ns {
			code = append(code, int64(n))
		}
	}
	numbers(p.size, p.columns, len(p.inputs), len(p.outputs), p.temporaries[whole], p.temporaries[row], len(p.instructions))
	for _, in := range p.inputs {
		numbers(int(in.level), in.offset, len(in.axes))
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
