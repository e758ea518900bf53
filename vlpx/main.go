package vlpx

import (
	"vlpx.internal/cmd/command"
	"vlpx.internal/vlpx/source"
)

// Main is the command vlpx as a program's main, with all its commands and flags. The program's own is there by name: methods
// ([negative.Method]), parts of methods, each by the name of its type, frameworks ([plan.Framework]), and tasks ([eval.Task]), each by the
// name of its type in small letters.
//
//	func main() {
//		vlpx.Main(negative.Method{Name: "Mine", Contrast: Mine{Margin: .1}}, Neighbours{})
//	}
//
// Then "compare GRIT-VLP Mine 'GRIT-VLP, contrast=Mine'" and "eval Mine -task neighbours" are calls of the program, and tables of methods
// have the row Mine.
func Main(own ...any) {
	source.ReadCaller()
	command.Main(own...)
}
