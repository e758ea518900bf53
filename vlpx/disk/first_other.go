//go:build !linux

package disk

import "errors"

func renameFirst(string, string) error { return errors.ErrUnsupported }
