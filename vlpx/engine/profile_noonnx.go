//go:build !((linux || darwin) && cgo && (amd64 || arm64))

package engine

import "github.com/gomlx/compute"

// ProfileSessions needs ONNX Runtime, which this build is without.
func ProfileSessions(backend compute.Backend, _ string) (end func(), err error) {
	return nil, errNoProfile(backend)
}
