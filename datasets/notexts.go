package datasets

import "fmt"

// NoTexts is the error of a view that would show texts which a set does not have.
type NoTexts struct {
	Set    string // its name
	Texts  string // such as "questions about its images"
	Advice string
}

// Error implements error.
func (n *NoTexts) Error() string {
	return fmt.Sprintf("datasets: %s has no %s; %s", n.Set, n.Texts, n.Advice)
}
