package karpathy

import (
	"fmt"
	"strings"
)

// Omission tells what was left out of a collection for one reason.
type Omission struct {
	File   string   // the file whose entries were left out
	Reason string   // what is wrong with them, and what to do
	Count  int      // how many there are
	First  []string // the first few
}

// Error is one line for a person.
func (o *Omission) Error() string {
	return fmt.Sprintf("karpathy: %s: %d skipped: %s; first: %s", o.File, o.Count, o.Reason, strings.Join(o.First, ", "))
}

// namedOmissions is how many entries an omission names.
const namedOmissions = 3

// omissions collects what is left out, a reason once, in the order in which the reasons turned up.
type omissions []*Omission

// add counts one more entry of a file for a reason.
func (all *omissions) add(file, reason, what string) {
	for _, o := range *all {
		if o.File == file && o.Reason == reason {
			o.Count++
			if len(o.First) < namedOmissions {
				o.First = append(o.First, what)
			}
			return
		}
	}
	*all = append(*all, &Omission{File: file, Reason: reason, Count: 1, First: []string{what}})
}

// errors lists them as errors.
func (all omissions) errors() []error {
	var list []error
	for _, o := range all {
		list = append(list, o)
	}
	return list
}
