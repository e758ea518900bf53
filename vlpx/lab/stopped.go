package lab

import "context"

// Stopped is the error of runs that a cancelled context has stopped: it says what they keep.
type Stopped string

func (s Stopped) Error() string { return string(s) + "; the same call goes on from there" }

// Is makes it a cancellation.
func (Stopped) Is(err error) bool { return err == context.Canceled }
