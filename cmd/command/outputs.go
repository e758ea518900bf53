package command

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/lab"
)

// outputs are the files of a report: where they go and in which formats.
type outputs struct {
	dir             string
	name            string // of all files, with their folder and without an ending; empty for one that says what differs from the defaults
	tables, figures []string
}

// usualFiles are what reproduce and compare write unless flags say otherwise.
func usualFiles() outputs {
	return outputs{tables: []string{"md", "csv", "json"}, figures: []string{"png"}}
}

func (o *outputs) bind(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&o.dir, "out", "results", "`folder` for files; their name says what differs from the defaults")
	flags.StringVarP(&o.name, "o", "o", "", "`name` of the files, such as figures/temperature; with an ending, figures/temperature.pdf, "+
		"this one alone is written")
	flags.StringSliceVar(&o.tables, "tables", o.tables, "`formats` of the table: "+strings.Join(lab.TableEndings(), ", ")+
		"; tex is for a paper, seeds.csv has every run's values")
	flags.StringSliceVar(&o.figures, "figures", o.figures, "`formats` of the figure: "+strings.Join(lab.FigureEndings(), ", "))
}

// check refuses formats that there are not, and one name for several artifacts. A name with the ending of a format stands for this one
// alone.
func (o *outputs) check(artifacts int) error {
	if o.name != "" && artifacts > 1 {
		return fmt.Errorf("-o %s names the files of one artifact, and there are %d; call each by itself, or take -out FOLDER", o.name,
			artifacts)
	}
	named := func(format string) bool {
		return strings.HasSuffix(o.name, "."+format) && filepath.Base(o.name) != "."+format
	}
	longest := func(formats []string) (format string) {
		for _, f := range formats {
			if named(f) && len(f) > len(format) {
				format = f
			}
		}
		return format
	}
	if table, figure := longest(lab.TableEndings()), longest(lab.FigureEndings()); table != "" {
		o.name, o.tables, o.figures = strings.TrimSuffix(o.name, "."+table), []string{table}, nil
	} else if figure != "" {
		o.name, o.tables, o.figures = strings.TrimSuffix(o.name, "."+figure), nil, []string{figure}
	}
	for _, of := range []struct {
		flag         string
		given, known []string
	}{{"tables", o.tables, lab.TableEndings()}, {"figures", o.figures, lab.FigureEndings()}} {
		for _, format := range of.given {
			if !slices.Contains(of.known, format) {
				return fmt.Errorf("-%s %s: no such format; there are %s", of.flag, format, strings.Join(of.known, ", "))
			}
		}
	}
	if o.name != "" && len(o.tables)+len(o.figures) == 0 {
		return fmt.Errorf("-o %s: nothing would be written; end it in .%s, or say -tables or -figures", o.name,
			strings.Join(slices.Concat(lab.FigureEndings(), lab.TableEndings()), ", ."))
	}
	return nil
}

// base is where a grid's files go, without their endings: one of other settings has another name.
func (o outputs) base(grid *lab.Grid) string {
	if o.name != "" {
		return o.name
	}
	of, name := path.Split(grid.Plan.Artifact.ID)
	return filepath.Join(o.dir, of, grid.Plan.FileNameOf(name, grid.View))
}

// prepare makes the folder of files, where there will be any.
func (o outputs) prepare(base string) error {
	if len(o.tables)+len(o.figures) == 0 {
		return nil
	}
	if err := disk.MkdirAll(filepath.Dir(base)); err != nil {
		return fmt.Errorf("%w; choose another folder with -out", err)
	}
	return nil
}

// write puts a report into files of a name and names each.
func (o outputs) write(c *cobra.Command, base string, report *lab.Report) error {
	endings := slices.DeleteFunc(slices.Clone(o.tables), func(format string) bool { return format == "claims.tex" && !report.HasClaims() })
	switch {
	case report.HasFigure():
		endings = append(endings, o.figures...)
	case c.Flags().Changed("figures"):
		fmt.Fprintln(c.ErrOrStderr(), "no figure is written: it is drawn of runs, and this store has none that it shows")
	}
	for _, ending := range endings {
		file := base + "." + ending
		if err := report.Save(file); err != nil {
			return fmt.Errorf("%w; choose another folder with -out", err)
		}
		fmt.Fprintf(c.OutOrStdout(), "wrote %s\n", file)
	}
	return nil
}
