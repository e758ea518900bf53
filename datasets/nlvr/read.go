package nlvr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
)

// Statement is one about a pair of images.
type Statement struct {
	ID          string // split-set-pair-sentence, such as "dev-850-0-1"
	Left, Right string // the images' files, such as "dev-850-0-img0.png"; some are JPEG all the same
	Folder      string // that of the files in NLVR2's own tree, with slashes: "dev", or "train/18", where train has numbered ones
	Text        string
	True        bool // whether it holds
}

// Read reads a file of statements, gzipped if its name ends in .gz. Empty lines are passed over.
func Read(name string) ([]Statement, error) {
	f, err := content.Open(name)
	if err != nil {
		return nil, fmt.Errorf("nlvr: %w", err)
	}
	defer f.Close()
	statements, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("nlvr: %s: %w", filepath.Base(name), err)
	}
	return statements, nil
}

func parse(r io.Reader) ([]Statement, error) {
	lines, seen := bufio.NewReader(r), map[string]int{}
	var statements []Statement
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, content.CutOff(fmt.Sprintf("line %d", n), err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			s, wrong := parseLine(line)
			if wrong != nil {
				return nil, fmt.Errorf("line %d: %w", n, wrong)
			}
			if first, twice := seen[s.ID]; twice {
				return nil, fmt.Errorf("line %d: the identifier %q is that of line %d, too; drop one", n, s.ID, first)
			}
			seen[s.ID] = n
			statements = append(statements, s)
		}
		if err == io.EOF {
			break
		}
	}
	if len(statements) == 0 {
		return nil, errors.New("no statements; is this a file of NLVR2, a JSON object a line?")
	}
	return statements, nil
}

// identifier is split-set-pair-sentence; the images' names have the first three.
var identifier = regexp.MustCompile(`^(([a-z][a-z0-9]*)-[0-9]+-[0-9]+)-[0-9]+$`)

func parseLine(line []byte) (Statement, error) {
	var entry struct {
		Identifier string `json:"identifier"`
		Sentence   string `json:"sentence"`
		Label      any    `json:"label"`
		Directory  *uint  `json:"directory"`
	}
	if err := plainjson.Unmarshal(line, &entry); err != nil {
		return Statement{}, fmt.Errorf("not a statement of NLVR2, a JSON object a line: %w", err)
	}
	id := identifier.FindStringSubmatch(entry.Identifier)
	if id == nil {
		return Statement{}, fmt.Errorf("the identifier %q; want split-set-pair-sentence, such as dev-850-0-1", entry.Identifier)
	}
	s := Statement{ID: entry.Identifier, Left: id[1] + "-img0.png", Right: id[1] + "-img1.png", Folder: id[2], Text: entry.Sentence}
	if entry.Directory != nil {
		s.Folder = path.Join(s.Folder, strconv.FormatUint(uint64(*entry.Directory), 10))
	}
	if strings.TrimSpace(s.Text) == "" {
		return Statement{}, fmt.Errorf("%s: no sentence; write it or drop the line", s.ID)
	}
	switch entry.Label {
	case "True":
		s.True = true
	case "False":
	case nil:
		return Statement{}, fmt.Errorf("%s: no label; it is \"True\" or \"False\"", s.ID)
	default:
		return Statement{}, fmt.Errorf("%s: the label %v; want \"True\" or \"False\"", s.ID, entry.Label)
	}
	return s, nil
}
