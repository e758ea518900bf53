package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/ending"
)

// notebook is what the notebook command's flags say.
type notebook struct {
	install, uninstall, run, pages, noBrowser bool
	prefix, out                               string
	port                                      int
}

func notebookCommand() *cobra.Command {
	var n notebook
	c := &cobra.Command{
		Use:   "notebook [FOLDER|NOTEBOOK]",
		Short: "Open the notebooks in Jupyter, with a kernel whose cells import vlpx",
		Long: `Opens the notebooks, or a folder or notebook of yours, in Jupyter, with the kernel "Go (vlpx)". The kernel is installed or brought up to
date first; Jupyter listens on this machine only, behind a random token. Ctrl-C ends it, the kernels and what runs in their cells.

Cells import vlpx from the checkout that the notebook lies in, else from that in which the command is called, else from that which
installed the kernel, which stays its own until -install is called in another one.`,
		Example: `  vlpx notebook
  vlpx notebook -install                                  # the kernel only, for a JupyterLab or VS Code of your own
  vlpx notebook -run notebooks/falcon.ipynb -o falcon.html
  vlpx notebook -run -pages notebooks/*.ipynb -o pages    # all of them as HTML`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := n.check(c, args); err != nil {
				return err
			}
			if n.uninstall {
				return n.remove(c)
			}
			for _, path := range args {
				if info, err := os.Stat(path); err != nil {
					return fmt.Errorf("%w; name a notebook, or a folder of them", err)
				} else if !info.IsDir() && !info.Mode().IsRegular() {
					return fmt.Errorf("%s is no regular file or folder (%v); name a notebook, or a folder of them", path, info.Mode().Type())
				}
			}
			switch {
			case n.install:
				return n.prepare(c)
			case n.run:
				return n.execute(c, args)
			}
			return n.serve(c, args)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&n.install, "install", false, "only install the kernel, or bring it up to date, and make it this checkout's if another "+
		"one installed it")
	flags.BoolVar(&n.uninstall, "uninstall", false, "remove the kernel")
	flags.BoolVar(&n.run, "run", false, "execute the notebooks without a browser; a cell that fails is an error")
	flags.StringVarP(&n.out, "o", "o", "", "with -run, write the executed copy to this `file`, .ipynb or .html; for several notebooks, a "+
		"folder")
	flags.BoolVar(&n.pages, "pages", false, "with -run and a folder, write pages of HTML that need no network")
	flags.StringVar(&n.prefix, "prefix", "", "where the kernel is: share/jupyter/kernels in this `folder` (default the user's own place, "+
		"where Jupyter looks by itself)")
	flags.IntVar(&n.port, "port", 0, "the server's port (default 8888, or a free one)")
	flags.BoolVar(&n.noBrowser, "no-browser", false, "only print the address")
	return c
}

// goesWith names, for each flag, those it can be given with.
var goesWith = map[string]string{
	"install": "prefix", "uninstall": "prefix", "run": "prefix o pages", "o": "run prefix pages", "pages": "run o prefix",
	"port":       "no-browser prefix",
	"no-browser": "port prefix",
	"prefix":     "install uninstall run o pages port no-browser",
}

// check finds flags and arguments that do not belong together.
func (n notebook) check(c *cobra.Command, args []string) error {
	var given []string
	c.Flags().Visit(func(f *pflag.Flag) { given = append(given, f.Name) })
	for i, one := range given {
		for _, other := range given[:i] {
			if !strings.Contains(" "+goesWith[one]+" ", " "+other+" ") {
				return fmt.Errorf("-%s and -%s do not go together; see %s -h", other, one, c.CommandPath())
			}
		}
	}
	switch {
	case n.install && len(args) > 0:
		return fmt.Errorf("-install takes no notebook, but got %q; see %s -h", args[0], c.CommandPath())
	case n.uninstall && len(args) > 0:
		return fmt.Errorf("-uninstall takes no notebook, but got %q; see %s -h", args[0], c.CommandPath())
	case n.run && len(args) == 0:
		return fmt.Errorf("-run needs a notebook, such as notebooks/falcon.ipynb; see %s -h", c.CommandPath())
	case n.out != "" && !n.run:
		return fmt.Errorf("-o goes with -run; see %s -h", c.CommandPath())
	case n.pages && n.out == "":
		return fmt.Errorf("-pages needs the folder to write to, by -o; see %s -h", c.CommandPath())
	case !n.run && len(args) > 1:
		return fmt.Errorf("one folder or notebook can be opened, not %d; -run executes several. See %s -h", len(args), c.CommandPath())
	}
	return nil
}

// prepare installs the kernel and says how a Jupyter that is not ours finds it.
func (n notebook) prepare(c *cobra.Command) error {
	if err := kernels.Install(c.Context(), n.prefix, c.ErrOrStderr()); err != nil || n.prefix == "" {
		return err
	}
	data, err := filepath.Abs(filepath.Join(n.prefix, "share", "jupyter"))
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "Jupyter finds it with JUPYTER_PATH=%s\n", data)
	return nil
}

// remove uninstalls the kernel and says what is gone.
func (n notebook) remove(c *cobra.Command) error {
	removed, err := kernels.Uninstall(n.prefix)
	for _, path := range removed {
		fmt.Fprintf(c.OutOrStdout(), "removed %s\n", path)
	}
	if err == nil && len(removed) == 0 {
		return errors.New("no kernel is installed there; -prefix names the folder that was given to -install")
	}
	return err
}

// execute runs the notebooks one after another and reports how each went.
func (n notebook) execute(c *cobra.Command, notebooks []string) error {
	outs, err := n.outputs(notebooks)
	if err != nil {
		return err
	}
	// What cannot be executed is told before the minute that a first installation takes.
	for _, name := range notebooks {
		if err := kernels.Check(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := kernels.Nbconvert(); err != nil {
		return err
	}
	if err := kernels.Update(c.Context(), n.prefix, c.ErrOrStderr()); err != nil {
		return err
	}
	var failed []error
	for i, name := range notebooks {
		from, installed, err := kernels.Imports(n.prefix, name)
		if err != nil {
			return err
		}
		of := ""
		if from != installed {
			of = ", whose cells import vlpx from " + from
		}
		fmt.Fprintf(c.ErrOrStderr(), "executing %s%s\n", name, of)
		start := time.Now()
		err = kernels.Execute(c.Context(), n.prefix, name, outs[i])
		if c.Context().Err() != nil {
			return err
		}
		verdict := "ok"
		if err != nil {
			verdict = "FAIL"
			failed = append(failed, err)
		}
		fmt.Fprintf(c.OutOrStdout(), "%-4s %s in %s\n", verdict, name, time.Since(start).Round(100*time.Millisecond))
	}
	return errors.Join(failed...)
}

// outputs returns where each notebook's executed copy goes, "" for nowhere.
func (n notebook) outputs(notebooks []string) ([]string, error) {
	outs := make([]string, len(notebooks))
	if n.out == "" {
		return outs, nil
	}
	ending := strings.ToLower(filepath.Ext(n.out))
	file := ending == ".ipynb" || ending == ".html"
	if !isDir(n.out) && file {
		if len(notebooks) > 1 {
			return nil, fmt.Errorf("-o %s is one file for %d notebooks; name a folder", n.out, len(notebooks))
		}
		outs[0] = n.out
		return outs, disk.MkdirAll(filepath.Dir(n.out))
	}
	if !isDir(n.out) && len(notebooks) == 1 && ending != "" {
		return nil, fmt.Errorf("-o %s: the copy is a .ipynb or .html; name such a file, or a folder", n.out)
	}
	taken := map[string]string{}
	for i, name := range notebooks {
		base := filepath.Base(name)
		if n.pages {
			base = strings.TrimSuffix(base, filepath.Ext(base)) + ".html"
		}
		if other, found := taken[base]; found {
			return nil, fmt.Errorf("%s and %s would both go to %s; execute them one by one", other, name, filepath.Join(n.out, base))
		}
		taken[base] = name
		outs[i] = filepath.Join(n.out, base)
	}
	return outs, disk.MkdirAll(n.out)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// serve opens Jupyter until Ctrl-C, or until the terminal is closed.
func (n notebook) serve(c *cobra.Command, args []string) error {
	defer ending.Hold()() // it ends what runs in cells
	ctx := c.Context()
	program, err := kernels.JupyterServer(ctx)
	if err != nil {
		return err
	}
	if err := kernels.Update(ctx, n.prefix, c.ErrOrStderr()); err != nil {
		return err
	}
	server := kernels.Server{Program: program, Prefix: n.prefix, Port: n.port, Browser: !n.noBrowser, Log: c.ErrOrStderr()}
	if len(args) == 1 {
		server.Open = args[0]
	}
	defer context.AfterFunc(ctx, func() { fmt.Fprintln(c.ErrOrStderr(), "ending Jupyter and its kernels") })()
	return kernels.Serve(ctx, server, func(address string) {
		fmt.Fprintf(c.OutOrStdout(), "Jupyter is at %s\nCtrl-C ends it, and what runs in its cells.\n", address)
	})
}
