package vlpx

import "vlpx.internal/cmd/command"

// Main is the command vlpx, as a program's main: all its commands and flags.
func Main() { command.Main() }
