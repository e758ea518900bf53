package vlpx

import (
	"context"
	"errors"
	"fmt"
	"os"

	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/source"
)

// must does what a cell asks for. A cell is a program, and this is the one place where it ends: with one line of the error, without a
// stack, and exit status 1; or, where it is a worker that another process started, with the worker's status.
func must[T any](what string, options []Options, do func(context.Context, cell.Screen, Options) (T, error)) T {
	source.ReadCaller()
	ctx, stop := cell.Context()
	defer stop()
	screen := cell.Open()
	var result T
	err := fmt.Errorf("a call takes one Options, not %d", len(options))
	if len(options) <= 1 {
		o := Options{}
		if len(options) == 1 {
			o = options[0]
		}
		if o.Say == nil {
			o.Say = func(line string) { screen.Say(line) }
		}
		if o, err = o.Fetched(ctx); err == nil {
			result, err = do(ctx, screen, o)
		}
	}
	if closing := screen.Close(); err == nil {
		err = closing
	}
	if err == nil {
		return result
	}
	status := lab.Exit(1)
	if !errors.As(err, &status) {
		if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) && !errors.Is(err, cell.ErrOrphaned) {
			err = errors.New("stopped")
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	}
	os.Exit(int(status))
	return result
}

// shown is must of what gives a value that is then shown.
func shown[T cell.Shown](what string, options []Options, do func(context.Context, Options) (T, error)) T {
	return must(what, options, func(ctx context.Context, s cell.Screen, o Options) (T, error) {
		value, err := do(ctx, o)
		if err != nil {
			return value, err
		}
		return value, s.Show(value)
	})
}
