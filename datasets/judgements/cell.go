package judgements

import "strings"

// Cell is a text as a table has it. What a spreadsheet would take for a formula gets an apostrophe in front, which makes it a text there;
// Parse takes that away again.
func Cell(text string) string {
	if formula(text) {
		return "'" + text
	}
	return text
}

// uncell is the inverse of Cell. Of texts that people write themselves, without the apostrophe, it changes none.
func uncell(cell string) string {
	if text, found := strings.CutPrefix(cell, "'"); found && formula(text) {
		return text
	}
	return cell
}

// formula tells whether a spreadsheet takes a text for a formula, also behind apostrophes that Cell puts there.
func formula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0]))
}
