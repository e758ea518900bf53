package datasets

import (
	"fmt"
	"strings"
)

// Omission tells what was left out of a collection for one reason.
type Omission struct {
	Source string   // the layout, such as "karpathy"
	File   string   // the file or folder whose entries were left out
	Reason string   // what is wrong with them, and what to do
	Count  int      // how many there are
	First  []string // the first few
}

// Error is one line for a person.
func (o *Omission) Error() string {
	return fmt.Sprintf("%s: %s: %d skipped: %s; first: %s", o.Source, o.File, o.Count, o.Reason, strings.Join(o.First, ", "))
}

// namedOmissions is how many entries an omission names.
const namedOmissions = 3

// Omissions collect what is left out, a file and a reason once, in the order in which they turned up.
type Omissions struct {
	Source string // the layout
	all    []*Omission
}

// Add counts one more entry of a file for a reason.
func (o *Omissions) Add(file, reason, what string) {
	for _, one := range o.all {
		if one.File == file && one.Reason == reason {
			one.Count++
			if len(one.First) < namedOmissions {
				one.First = append(one.First, what)
			}
			return
		}
	}
	o.all = append(o.all, &Omission{Source: o.Source, File: file, Reason: reason, Count: 1, First: []string{what}})
}

// Errors lists them, an *Omission each; nil when there are none.
func (o *Omissions) Errors() []error {
	var list []error
	for _, one := range o.all {
		list = append(list, one)
	}
	return list
}
