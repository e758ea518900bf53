// Package command is the command vlpx: flags in, library calls out. cmd/vlpx is one line that calls it, and so is a program of one's own,
// by vlpx.Main.
package command
