package lab

import "fmt"

// Exit ends a program with a status and without a message: a worker has told all that there is to tell.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ended is the end of a worker that did its work, or what went wrong with it.
func ended(err error) error {
	if err == nil {
		return Exit(0)
	}
	return err
}
