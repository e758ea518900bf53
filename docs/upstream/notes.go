// Package upstream has notes for the authors of others' modules: a defect each, and mostly a patch.
package upstream

import "embed"

// Kernel holds the notes for GoNB whose patches the kernel's GoNB is built with, one after the other.
//
//go:embed gonb-first-completion.md gonb-one-page.md gonb-tracked-files.md gonb-warm.md
var Kernel embed.FS
