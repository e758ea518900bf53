package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vlpx.internal/vlpx/ending"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/scale"
)

// stoppedStatus is that of a program which was asked to end, as shells have it.
const stoppedStatus = 130

// Main is the command vlpx: it does what the arguments of the program say, and ends it. The program's own is known by name (see
// vlpx.Main).
func Main(own ...any) {
	if err := take(own); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := ending.Signals(context.Background(), func() {
		fmt.Fprintf(os.Stderr, "%s: stopped; what was finished is kept\n", calledAs)
		os.Exit(stoppedStatus)
	})
	status := execute(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// execute does what arguments say, and returns the exit status.
func execute(ctx context.Context, args []string) int {
	root := command()
	root.SetArgs(doubleDashes(args))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var ended lab.Exit
	if errors.As(err, &ended) {
		return int(ended)
	}
	var stopped lab.Stopped
	if errors.As(err, &stopped) {
		err = fmt.Errorf("%s; the same command goes on from there", string(stopped))
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", calledAs, err)
	if stopped != "" || errors.Is(err, context.Canceled) {
		return stoppedStatus
	}
	return 1
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           calledAs,
		Short:         "A laboratory for false negatives in vision-language pre-training",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("no command %q; did you mean %q? See %s -h", args[0], scale.Nearest(args[0], names(c)), calledAs)
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if invalid, is := errors.AsType[*pflag.InvalidValueError](err); is && takes[invalid.GetFlag().Value.Type()] != "" {
			flag := invalid.GetFlag()
			return fmt.Errorf("-%s takes %s, not %q; see %s -h", flag.Name, takes[flag.Value.Type()], invalid.GetValue(), c.CommandPath())
		}
		if !errors.As(err, &unknown) {
			return fmt.Errorf("%w; see %s -h", err, c.CommandPath())
		}
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		name := unknown.GetSpecifiedName()
		if strings.HasPrefix(name, "method") && (c.Name() == "train" || c.Name() == "eval") {
			return fmt.Errorf("%s has no flag -%s; the method is its argument, as in vlpx %s GRIT-VLP; see %s -h", c.Name(), name, c.Name(),
				c.CommandPath())
		}
		return fmt.Errorf("%s has no flag -%s; did you mean -%s? See %s -h", c.Name(), name, scale.Nearest(name, flags), c.CommandPath())
	})
	root.AddCommand(listCommand(), reproduceCommand(), sweepCommand(), compareCommand(), showCommand(), reportCommand(), notebookCommand(),
		trainCommand(), evalCommand(),
		benchCommand(), runsCommand(), rmCommand(), pruneCommand(), storeCommand(), exportCommand(), embedCommand(),
		scoreCommand(), searchCommand(), auditCommand(), mapCommand(), weightsCommand(), dataCommand(),
		doctorCommand(),
		versionCommand(), referenceCommand())
	completing(root)
	configured(root)
	return root
}

// takes says what flags of a type take, which package flag would say in the words of its parsers.
var takes = map[string]string{
	"bool":         "true or false",
	"int":          "a whole number",
	"intSlice":     "whole numbers separated by commas, such as 2,4",
	"float64":      "a number",
	"float64Slice": "numbers separated by commas, such as 4e6,14e6",
	"duration":     "a time such as 90s",
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes flags only, not %q; see %s -h", c.Name(), args[0], c.CommandPath())
}

func names(c *cobra.Command) []string {
	var all []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			all = append(all, sub.Name())
		}
	}
	return all
}

// doubleDashes lets long flags be written with one dash, as Go programs have them: -scale tiny.
func doubleDashes(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		if len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && (arg[1] < '0' || arg[1] > '9') {
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}
