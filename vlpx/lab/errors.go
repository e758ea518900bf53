package lab

import (
	"context"
	"fmt"
)

// Exit ends a program with a status and without a message: a worker has said all that there is to say.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ended is the end of a worker that did its work, or what went wrong with it.
func ended(err error) error {
	if err == nil {
		return Exit(0)
	}
	return err
}

// Stopped is the error of runs that a cancelled context has stopped: it says what they keep.
type Stopped string

func (s Stopped) Error() string { return string(s) + "; the same call goes on from there" }

// Is makes it a cancellation.
func (Stopped) Is(err error) bool { return err == context.Canceled }
