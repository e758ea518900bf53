package annotated

import (
	"fmt"
	"regexp"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/nlvr"
)

var statementFile = regexp.MustCompile(`^(train|dev|test1|test2)\.json(?:\.gz)?$`)

// OpenNLVR opens a folder with NLVR2's train.json, dev.json and test1.json and its pictures in images/train/*/, dev/ and test1/. Its dev is
// the split val, and test1 the split test, as the papers have it. A statement is left out where one of its pictures is.
func OpenNLVR(dir string) (*Collection, error) {
	return open("nlvr2", dir, statementFile, func(parts []string) string {
		switch parts[1] {
		case "dev":
			return "val"
		case "test1":
			return "test"
		}
		return parts[1]
	}, (*Collection).readStatements)
}

func (c *Collection) readStatements(s source) (datasets.Set, error) {
	name, err := c.account(s.file)
	if err != nil {
		return nil, err
	}
	all, err := nlvr.Read(name)
	if err != nil {
		return nil, err
	}
	set := stated{pictures: c.pictures(s)}
	for _, a := range all {
		left, first := set.add(a.Folder, a.Left)
		right, second := set.add(a.Folder, a.Right)
		if !first || !second {
			c.Omitted.Add(s.file, "a statement about a picture that is missing", fmt.Sprintf("%s (%q)", a.ID, a.Text))
			continue
		}
		set.statements = append(set.statements, datasets.Statement{Left: left, Right: right, Text: a.Text, True: a.True})
	}
	slices.SortStableFunc(set.statements, func(a, b datasets.Statement) int { return a.Left - b.Left })
	return set, nil
}
