//go:build cgo && !noxla

package engine

import "github.com/gomlx/go-xla/compute/xla" // registers "xla", "stablehlo", "hlo" and "shlo"

// forbidXLADownload holds even in a program that links go-xla's autoinstall package as well.
func forbidXLADownload() { xla.EnableAutoInstall(false) }
