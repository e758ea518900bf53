package answer

import "strings"

// numbers are the words that become digits; what is above ten stays.
var numbers = map[string]string{
	"none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9",
	"ten":  "10",
}

// contractions are words without an apostrophe, or without one of two, and how they are written. Two of the published table's turn out odd
// ("somebody'd", "ow's'at") and are kept; those of its keys that have a capital are left out, since no word has one when it is looked up.
var contractions = func() map[string]string {
	of := map[string]string{"somebody'd": "somebodyd", "twas": "'twas", "maam": "ma'am", "oclock": "o'clock", "yall": "y'all"}
	for _, word := range strings.Fields("ow's'at 'ows'at 'ow'sat") {
		of[word] = "'ow's'at"
	}
	// Negations: n't, n't've.
	for _, verb := range strings.Fields("ai are ca could did does do had has have is might must need ought sha should was were wo would") {
		of[verb+"nt"] = verb + "n't"
	}
	for _, verb := range strings.Fields("could had might should would") {
		of[verb+"nt've"], of[verb+"n'tve"] = verb+"n't've", verb+"n't've"
	}
	add := func(ending string, heads string) {
		for _, head := range strings.Fields(heads) {
			of[head+ending] = head + "'" + ending
		}
	}
	add("ve", "could might must not should they we what where who would you")
	add("d", "he how it someone something there they where who you")
	add("ll", "how it somebody someone something they what who why you")
	add("s", "he how somebody someone that there what when where who why")
	add("re", "there they what why you")
	// Would have, where one apostrophe is there.
	for _, head := range strings.Fields("he it she somebody someone something there they we who you") {
		of[head+"d've"], of[head+"'dve"] = head+"'d've", head+"'d've"
	}
	of["yall'll"], of["y'allll"] = "y'all'll", "y'all'll"
	for _, word := range strings.Fields("yall'd've y'alld've y'all'dve") {
		of[word] = "y'all'd've"
	}
	return of
}()
