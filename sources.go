// Package sources has the source of the packages that may compute what a run gives, as this program was built from it. So a result can tell
// which code made it, wherever the program runs. It imports nothing.
package sources

import "embed"

// Files are those of the libraries, by their paths in the module.
//
//go:embed datasets/*.go datasets/*/*.go vlpx/*/*.go vlpx/*/*/*.go vlpx/*/*.s
var Files embed.FS

// Module is the module's path, that of go.mod; .ci/rename changes it in a copy. Folder is what the paths of its packages begin with.
const (
	Module = "vlpx.internal"
	Folder = Module + "/"
)
