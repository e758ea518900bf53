package lab

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/gomlx/compute"
	traced "github.com/pkg/errors"

	"vlpx.internal/vlpx/engine"
)

// guard runs what may call a custom part. If that part panics, the panic becomes an error, and an error that came about in it, as
// when its graph is built, tells the line there.
func guard(do func() error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		counters := make([]uintptr, 64)
		place := ownLine(counters[:runtime.Callers(2, counters)])
		if place == "" {
			panic(p) // of vlpx itself: with its stack
		}
		err = fmt.Errorf("panic: %v; at %s", p, place)
	}()
	if err = do(); err == nil {
		return nil
	}
	var innermost traced.StackTrace
	cause := err
	for e := err; e != nil; e = errors.Unwrap(e) {
		cause = e
		if t, ok := e.(interface{ StackTrace() traced.StackTrace }); ok {
			innermost = t.StackTrace()
		}
	}
	counters := make([]uintptr, len(innermost))
	for i, frame := range innermost {
		counters[i] = uintptr(frame)
	}
	place := ownLine(counters)
	switch {
	case place == "":
		return err
	case compute.IsNotImplemented(err):
		return fmt.Errorf("%s: %w on this engine; docs/GOMLX.md says what to write instead, $%s=%s has all; at %s",
			operation(counters), cause, compute.ConfigEnvVar, engine.PureGo, place)
	}
	return fmt.Errorf("%w; at %s", cause, place) // less what GoMLX tells of itself
}

// operation is GoMLX's function that package main called, in a stack down to it.
func operation(counters []uintptr) string {
	frames, name := runtime.CallersFrames(counters), ""
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "main.") || !more {
			return name
		}
		name = frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]
	}
}

// ownLine is the first line of package main, a cell's, in a stack down to guard; empty if there is none.
func ownLine(counters []uintptr) string {
	frames := runtime.CallersFrames(counters)
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "main."):
			return fmt.Sprintf("%s\n\t%s:%d", strings.TrimPrefix(frame.Function, "main."), frame.File, frame.Line)
		case !more || strings.HasSuffix(frame.Function, "lab.guard"):
			return ""
		}
	}
}
