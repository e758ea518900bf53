package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/audit"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
)

// Auditing says what [Audit] looks for; the zero value is the usual.
type Auditing struct {
	Split string // whose captions; "train" if empty
	// Nearest is how many captions of each image, and images of each caption, become candidates; 10 if 0.
	Nearest int
	// By ranks the candidates: "cosine", "ITM" or "Con-D". If empty it is ITM where the model has learned it, else the cosine.
	By string
}

const usualNearest = 10

// Audited are captions that may be true of images that they were not written for.
type Audited struct{ *audit.Report }

// Audit finds captions of data that may be true of other images, too, by a trained model, named as for [Embed], and where its run has a
// frozen reference model in the store, as MAFA's has, by that as Con-D. The data are Options.Data; if that is empty, the generated scenes
// of the model. Beside Data it reads the options that Embed reads.
func Audit(ctx context.Context, model string, a Auditing, o Options, say func(string)) (r *Audited, err error) {
	if o.Say == nil {
		o.Say = say
	}
	if o, err = o.Fetched(ctx); err != nil {
		return nil, err
	}
	if a.Split == "" {
		a.Split = "train"
	}
	if a.Nearest == 0 {
		a.Nearest = usualNearest
	}
	by := audit.Cosine
	switch strings.ToLower(a.By) {
	case "", "cosine":
	case "itm":
		by = audit.ITM
	case "con-d", "cond":
		by = audit.ConD
	default:
		return nil, fmt.Errorf("no score %q; candidates are ranked by cosine, ITM or Con-D", a.By)
	}
	store, err := OpenStore(o.Home)
	if err != nil {
		return nil, err
	}
	err = withTrained(ctx, model, o, say, func(ctx context.Context, t *trained) error {
		found, err := t.audit(ctx, store, a, o)
		if err != nil {
			return err
		}
		if a.By != "" {
			if !found.Has[by] {
				return fmt.Errorf("%s has no %s; leave it out, or audit by a model that has", t.name, by)
			}
			found.Rank(by)
		}
		r = &Audited{found}
		return nil
	})
	return r, err
}

// audit finds candidates.
func (t *trained) audit(ctx context.Context, store *Store, a Auditing, o Options) (r *audit.Report, err error) {
	err = t.looking(ctx, store, a.Split, o, func(l looked) error {
		r, err = audit.Find(ctx, l.subject, audit.Config{Nearest: a.Nearest, Matches: t.matches(), ConD: l.conD})
		if err != nil {
			return err
		}
		r.Model, r.Split, r.ConD = t.name, a.Split, l.conDName
		return nil
	})
	return r, err
}

// looked is a split of data that is looked through.
type looked struct {
	subject  eval.Subject
	conD     *eval.Subject // nil where the model has none
	conDName string
}

// looking looks through a split of data by the model and, where its run has one, its Con-D.
func (t *trained) looking(ctx context.Context, store *Store, split string, o Options, look func(looked) error) error {
	if err := t.embeds(true, true); err != nil {
		return err
	}
	d, err := t.audited(o)
	if err != nil {
		return err
	}
	c, err := d.Open()
	if err != nil {
		return err
	}
	subject, closeSubject, err := t.subject(ctx, d, c, split)
	if err != nil {
		return err
	}
	defer closeSubject()
	l := looked{subject: subject}
	conD, err := t.reference(store, o)
	if err != nil {
		return err
	}
	if conD != nil {
		defer conD.model.Close()
		other, closeOther, err := conD.subject(ctx, d, c, split)
		if err != nil {
			return err
		}
		defer closeOther()
		l.conD, l.conDName = &other, conD.name
	}
	return look(l)
}

// audited are the data whose captions are looked through.
func (t *trained) audited(o Options) (run.Data, error) {
	dir, err := o.folder(o.Data)
	switch {
	case err != nil:
		return run.Data{}, err
	case dir != "":
		return run.FolderData(dir)
	case t.run.Data.Scenes == nil:
		return run.Data{}, fmt.Errorf("%s is of no generated scenes; say with -data whose captions are to be looked through", t.name)
	}
	d := t.run.Data
	d.Texts, d.Added = "", nil
	return d, nil
}

// reference is the model that the run was trained with as its frozen reference, if it has learned to match; nil where there is none.
func (t *trained) reference(store *Store, o Options) (*trained, error) {
	if t.run.Train.Reference == "" {
		return nil, nil
	}
	other := &trained{executor: t.executor, say: t.say}
	if err := other.openRun(store, t.run.Train.Reference, o); err != nil {
		if t.say != nil {
			t.say(fmt.Sprintf("without Con-D, run %s, which is not to be had here: %v", run.Short(t.run.Train.Reference), err))
		}
		return nil, nil
	}
	if !other.matches() {
		other.model.Close()
		return nil, nil
	}
	return other, nil
}

// auditEndings are the files that an audit is written to.
var auditEndings = []string{"csv", "json", "png", "pdf", "svg"}

// AuditWritable tells why an audit would not be written to a file: by its ending, or since it is a table that is there, in which somebody
// may have judged.
func AuditWritable(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
	case ".json", ".png", ".pdf", ".svg":
		return nil
	default:
		return fmt.Errorf("%s ends in none of %s", path, strings.Join(auditEndings, ", "))
	}
	switch _, err := disk.Stat(path); {
	case err == nil:
		return fmt.Errorf("%s is there, and somebody may have judged in it; name another file, or remove it", path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Write writes the first n candidates to a new table .csv, which a person may fill in and put beside the data as judgements.csv, what the
// candidates are worth, where that is known, to a .json, or the gallery to a .png, .pdf or .svg; whole or not at all.
func (a *Audited) Write(ctx context.Context, path string, n int) error {
	if err := AuditWritable(path); err != nil {
		return err
	}
	var text bytes.Buffer
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".csv":
		if err := a.WriteCSV(&text, n); err != nil {
			return err
		}
	case ".json":
		measured, ok := a.Measured()
		if !ok {
			return fmt.Errorf("%s: nothing is known of which captions of %s are true of other images, so that there is nothing to measure; "+
				"leave it out", path, a.Set.Name())
		}
		content, err := json.MarshalIndent(measured, "", "  ")
		if err != nil {
			return err
		}
		text.Write(append(content, '\n'))
	default:
		gallery, err := a.Gallery(ctx)
		if err != nil {
			return err
		}
		if err := draw(&text, gallery, ending); err != nil {
			return err
		}
	}
	return disk.WriteFile(path, text.Bytes(), 0o644)
}

// Tables are the first n candidates and, where it is known which captions are true of which images, what the candidates are worth.
func (a *Audited) Tables(n int) []tables.Table {
	all := []tables.Table{a.Table(n)}
	if measured, ok := a.Measured(); ok {
		all = append(all, measured.Table())
	}
	return all
}
