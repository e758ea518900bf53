package scenegraph

import "strings"

// verbForm is one form of a verb.
type verbForm struct {
	base string
	form class // finite, gerund or participle
}

// verbForms maps the inflected forms of the known verbs to what they are of; a base form is its own.
var verbForms = func() map[string]verbForm {
	of := map[string]verbForm{}
	for _, base := range strings.Fields(verbs) {
		stem := strings.TrimSuffix(base, "e")
		soft := strings.TrimSuffix(base, "y") // carry, carries; but play, plays
		if soft != base && strings.ContainsAny(soft[len(soft)-1:], "aeiou") {
			soft = base
		}
		switch {
		case soft != base:
			of[soft+"ies"], of[soft+"ied"] = verbForm{base, finite}, verbForm{base, participle}
		case stem == base && endsHissing(base):
			of[base+"es"] = verbForm{base, finite}
		default:
			of[base+"s"] = verbForm{base, finite}
		}
		of[stem+"ing"], of[stem+"ed"] = verbForm{base, gerund}, verbForm{base, participle}
		if strings.HasSuffix(base, "ee") || strings.HasSuffix(base, "oe") || strings.HasSuffix(base, "ye") {
			of[base+"ing"] = verbForm{base, gerund}
		}
		if doubles(base) {
			last := base[len(base)-1:]
			of[base+last+"ing"], of[base+last+"ed"] = verbForm{base, gerund}, verbForm{base, participle}
		}
	}
	for _, line := range strings.Split(irregularVerbs, ",") {
		words := strings.Fields(line)
		for _, word := range words[1:] {
			of[word] = verbForm{words[0], participle}
			if strings.HasSuffix(word, "ing") {
				of[word] = verbForm{words[0], gerund}
			}
		}
	}
	for _, base := range strings.Fields(verbs) {
		if _, taken := of[base]; !taken {
			of[base] = verbForm{base, bare}
		}
	}
	for word, f := range of {
		if f.base == "lie" { // captions mix the two up, and FACTUAL has one
			of[word] = verbForm{"lay", f.form}
		}
	}
	return of
}()

// endsHissing reports whether the third person of a verb ends in -es.
func endsHissing(base string) bool {
	for _, ending := range []string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(base, ending) {
			return true
		}
	}
	return false
}

// doubles reports whether a verb may double its last letter: it ends in one consonant after one vowel.
func doubles(base string) bool {
	n := len(base)
	vowel := func(i int) bool { return strings.IndexByte("aeiou", base[i]) >= 0 }
	return n >= 3 && !vowel(n-1) && strings.IndexByte("wxy", base[n-1]) < 0 && vowel(n-2) && (!vowel(n-3) || base[n-3] == 'u')
}
