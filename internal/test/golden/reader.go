package golden

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Env is the environment variable that names a directory of golden vectors to read instead of the embedded ones.
const Env = "VLPX_GOLDEN"

// modelFile is the case of a whole model, in a folder with its tensors.
const modelFile = "case.json"

//go:embed testdata/*.json testdata/models/*/case.json
var embedded embed.FS

// Case is one golden vector. Its accessors ([Case.Float], [Case.Tensor], ...) take the path of a value from the top of the
// file, list positions written in decimal: c.Tensor("expected", "steps", "0", "grad", "feat1").
//
// An accessor that finds nothing of its kind returns the zero value and records the error; [Case.Err] returns the first one.
// A test reads all it needs, asks Err once and then computes. A Case must not be used by several goroutines at once.
type Case struct {
	Name      string  // the case, such as "clip_infonce"
	File      string  // the file it was read from
	Tolerance float64 // largest absolute difference allowed in float64
	Seed      int64   // seed of the recorded run
	Variant   string  // which recording of the case this is
	Source    Source  // where the numbers come from

	root  any    // what json decodes to, numbers as json.Number
	first *error // first error of an accessor, shared by copies of the Case
}

// Source tells where the numbers of a case come from.
type Source struct {
	Repo   string `json:"repo"`   // repository, or "paper"
	Commit string `json:"commit"` // commit of the repository
	File   string `json:"file"`   // file of the repository, or section of the paper
	Lines  string `json:"lines"`  // lines of the file
	How    string `json:"how"`    // how the code was run
}

// Cases reads all golden cases: those of the directory that the environment variable VLPX_GOLDEN names, else the shipped ones.
// First the vectors, the .json files of the directory itself, then the whole models, the files case.json of folders below it, each
// ordered by name. A directory without either is an error, and so is a file that cannot be read.
//
// Of the shipped models only case.json is embedded; the files beside it are found by tests that run in this package's folder.
func Cases() ([]Case, error) {
	if dir := os.Getenv(Env); dir != "" {
		cases, err := readAll(os.DirFS(dir), ".", dir)
		if err != nil {
			return nil, fmt.Errorf("golden: %s=%s: %w", Env, dir, err)
		}
		return cases, nil
	}
	return readAll(embedded, "testdata", "testdata")
}

// Shipped tells whether Cases are the shipped ones.
func Shipped() bool { return os.Getenv(Env) == "" }

// Read reads one golden vector from a file.
func Read(file string) (Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return Case{}, fmt.Errorf("golden: %w", err)
	}
	defer f.Close()
	return Parse(file, f)
}

// readAll reads the cases in dir of fsys; shown is how errors and File name that directory.
func readAll(fsys fs.FS, dir, shown string) ([]Case, error) {
	vectors, err := fs.Glob(fsys, path.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var models []string
	err = fs.WalkDir(fsys, dir, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() == modelFile && path.Dir(file) != dir {
			models = append(models, file)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, file := range append(vectors, models...) {
		f, err := fsys.Open(file)
		if err != nil {
			return nil, err
		}
		below, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(file))
		if err != nil {
			return nil, err
		}
		c, err := Parse(filepath.Join(shown, below), f)
		f.Close()
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, errors.New("no .json file here; point it at a directory of golden vectors")
	}
	return cases, nil
}

// Title is what a test of the case is called: after its file, or after its folder where the case is a whole model.
func (c Case) Title() string {
	if filepath.Base(c.File) == modelFile {
		return filepath.Base(filepath.Dir(c.File))
	}
	return strings.TrimSuffix(filepath.Base(c.File), ".json")
}

// Beside is the path of a file that the case of a whole model names under files, such as its weights.
func (c Case) Beside(name string) string {
	return filepath.Join(filepath.Dir(c.File), c.Text("files", name))
}

// Parse reads one golden vector from r; file names it in errors.
func Parse(file string, r io.Reader) (Case, error) {
	bad := func(err error) (Case, error) { return Case{}, fmt.Errorf("golden: %s: %w", file, err) }
	text, err := io.ReadAll(r)
	if err != nil {
		return bad(err)
	}
	var head struct {
		Name      string   `json:"name"`
		Tolerance *float64 `json:"tolerance"`
		Seed      int64    `json:"seed"`
		Variant   string   `json:"variant"`
		Source    Source   `json:"source"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return bad(err)
	}
	if head.Name == "" {
		return bad(errors.New(`no "name"; a golden vector names its case`))
	}
	if head.Tolerance == nil || !(*head.Tolerance > 0) {
		return bad(errors.New(`no positive "tolerance"; give the largest difference allowed in float64`))
	}
	c := Case{
		Name: head.Name, File: file, Tolerance: *head.Tolerance, Seed: head.Seed, Variant: head.Variant, Source: head.Source,
		first: new(error),
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&c.root); err != nil {
		return bad(err)
	}
	return c, nil
}

// Err returns the first error of the accessors called so far, naming file and path.
func (c Case) Err() error {
	if c.first == nil {
		return nil
	}
	return *c.first
}
