package scenegraph

import (
	"slices"
	"strings"
)

// token is a word of a caption with its class. A compound with hyphens is one.
type token struct {
	word  string
	at    []int // positions in the caption's words
	class class
	base  string // of a verb
}

// tokens joins the words of a caption to tokens and finds what each one is.
func tokens(words []string) []token {
	places := make([]int, len(words))
	all := make([]token, 0, len(words))
	for i := 0; i < len(words); {
		places[i] = i
		end := i + 1
		for end+1 < len(words) && words[end] == "-" && isName(words[i]) && isName(words[end+1]) { // multi-colored
			places[end], places[end+1] = end, end+1
			end += 2
		}
		word := words[i]
		if end > i+1 {
			word = strings.Join(words[i:end], "")
		}
		all = append(all, token{word: word, at: places[i:end:end]})
		i = end
	}
	all = joinApostrophes(all)
	for i := range all {
		classify(all, i)
	}
	return all
}

// isName reports whether a word is made of letters or digits, as opposed to a sign.
func isName(word string) bool {
	c := word[0]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// joinApostrophes makes one token of an apostrophe and the s or t behind it.
func joinApostrophes(all []token) []token {
	kept := all[:0]
	for i := 0; i < len(all); i++ {
		t := all[i]
		if t.word == "'" && i+1 < len(all) && len(all[i+1].word) <= 2 && isName(all[i+1].word) {
			t.word += all[i+1].word
			t.at = append(slices.Clip(t.at), all[i+1].at...)
			i++
		}
		kept = append(kept, t)
	}
	return kept
}

// classify finds the class of token i. Those before it have theirs.
func classify(all []token, i int) {
	t := &all[i]
	before, after := stop, ""
	if i > 0 {
		before = all[i-1].class
	}
	if i+1 < len(all) {
		after = all[i+1].word
	}
	form, isVerb := verbForms[t.word]
	side := t.word == "left" || t.word == "right"
	switch {
	case t.word == "'s" || t.word == "'":
		t.class = possessive
		if before != noun || after == "" {
			t.class = stop
		}
	case numbers[t.word] != "" || t.word[0] >= '0' && t.word[0] <= '9':
		t.class = numeral
	case !isName(t.word) && t.word != "," && t.word != "&":
		t.class = stop
	case t.word == "to":
		t.class = preposition
		if f, ok := verbForms[after]; ok && f.base == after && !(isNominal[after] && i > 0 && fastens[all[i-1].base]) {
			t.class = infinitive
		}
	case t.word == "like" && isVerb, t.word == "close" && after == "to", (t.word == "full" || side && before == noun) && after == "of":
		t.class = preposition
	case (t.word == "inside" || t.word == "outside") && nounMayFollow(after) &&
		(before == preposition || before == determiner || before == adjective):
		t.class = adjective
	case compounds[t.word][Lemma(after)], t.word == "cream" && before == noun, side && before != noun && nounMayFollow(after):
		t.class = noun
	case t.word == "it" && after == "'s":
		t.class = owner
	case isVerb && before == infinitive:
		t.class, t.base = finite, form.base
	case t.word == "have" || t.word == "has" || t.word == "had":
		t.class, t.base = finite, "have"
	case isClosed(t.word):
		t.class = closed[t.word]
	case isVerb && form.form == gerund:
		t.class, t.base = gerundOr(t.word, before, after), form.base
	case isVerb && form.form == participle && !(isAdjective[t.word] && before != noun && before != copula && before != pronoun):
		t.class, t.base = participleOr(before, after), form.base
	case isVerb && verbHere(all[:i], t.word, form, after):
		t.class, t.base = finite, form.base
	case isAdjective[t.word]:
		t.class = adjective
		if !describes(all, i, before, after) {
			t.class = noun
		}
	default:
		t.class = byEnding(all, i, before, after)
	}
}

// isClosed reports whether a word is of a closed class.
func isClosed(word string) bool {
	_, ok := closed[word]
	return ok
}

// describes reports whether a word that may be an adjective is one here: something that it can describe follows, or a copula says it of
// what went before.
func describes(all []token, i int, before class, after string) bool {
	switch {
	case before == copula:
		return true
	case isColour[all[i].word] && before == preposition && verbForms[after].form == gerund && !isNounInIng[after]: // a man in black holding
		return false
	case isNounish[all[i].word] && (before == noun || verbForms[after].form == gerund && !isNounInIng[after] && !isCompoundIng[after]):
		return false
	case before == adverb, before == noun, before == pronoun, before == gerund, before == finite:
		return true
	case closed[after] == comma && i+2 < len(all) && isAdjective[all[i+2].word]:
		return true
	case after == "" || closed[after] == comma:
		return before == conjunction || before == adjective || before == comma
	case after == "and" || after == "or" || after == "&" || after == "one" || after == "ones":
		return true
	}
	return nounMayFollow(after)
}

// gerundOr is what a word in -ing is.
func gerundOr(word string, before class, after string) class {
	switch follows := nounMayFollow(after); {
	case isCompoundIng[word] && isCompoundHead[after] && before != noun:
		return noun
	case isCompoundIng[word] && isCompoundHead[after] && !isAmbiguousIng[word]:
		return noun
	case isAmbiguousIng[word] && (before == noun || before == copula) && (follows || isOpener(after) || closed[after] == preposition &&
		after != "of"):
		return gerund
	case isAmbiguousIng[word] || isNounInIng[word]:
		return noun
	case before == noun, before == copula, before == relative, before == pronoun, before == adverb, before == conjunction, before == comma,
		before == infinitive, before == gerund, before == possessive && !follows, before == preposition && !follows:
		return gerund
	case before == stop && isOpener(after):
		return gerund
	case follows:
		return adjective
	case before == stop || before == preposition || before == numeral || before == determiner && after != "":
		return gerund
	}
	return noun
}

// participleOr is what a past form is.
func participleOr(before class, after string) class {
	switch follows := nounMayFollow(after); {
	case (before == determiner || before == owner || before == adjective || before == numeral || before == stop || before == preposition ||
		before == possessive || before == conjunction || before == comma || before == gerund || before == finite) && follows:
		return adjective
	case before == determiner || before == owner || before == numeral: // a set of
		return noun
	case (before == noun || before == relative || before == pronoun) && (isOpener(after) || closed[after] == pronoun):
		return finite
	}
	return participle
}

// verbHere reports whether a form in -s or a base form is a verb, rather than the noun that most of them are, too.
func verbHere(before []token, word string, form verbForm, after string) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	switch {
	case last.class == infinitive:
		return true
	case last.class == adverb && len(before) > 1:
		last = before[len(before)-2]
	}
	if last.class == relative || last.class == pronoun && last.word != "it" {
		return true
	}
	if last.class != noun || slices.ContainsFunc(before, func(t token) bool { return t.class == finite }) && !hasBreak(before) {
		return false
	}
	plural := Lemma(last.word) != last.word || last.word == "people" || last.word == "sheep"
	if form.form == bare && !plural || form.form == finite && word != form.base && plural && last.word != "people" {
		return false
	}
	switch {
	case !isNominal[form.base], isOpener(after), closed[after] == pronoun:
		return true
	case isAnimate[last.word]:
		return nounMayFollow(after) || closed[after] == preposition && after != "of"
	}
	return isMover[last.word] && closed[after] == preposition && after != "of"
}

// fastens are verbs whose "to" is a preposition.
var fastens = set("attach tie connect lead belong next secure hook chain fasten link fix")

// hasBreak reports whether a clause may have ended in these tokens.
func hasBreak(before []token) bool {
	return slices.ContainsFunc(before, func(t token) bool {
		return t.class == conjunction || t.class == comma || t.class == relative || t.class == stop
	})
}

// isOpener reports whether a word opens a noun phrase.
func isOpener(word string) bool {
	c, ok := closed[word]
	return ok && (c == determiner || c == owner) || numbers[word] != ""
}

// nounMayFollow reports whether a word may go on with a noun phrase that has begun.
func nounMayFollow(word string) bool {
	return word != "" && isName(word) && !isClosed(word)
}

// byEnding is the class of a word that no list has.
func byEnding(all []token, i int, before class, after string) class {
	word := all[i].word
	n := len(word)
	has := func(ending string, least int) bool { return n >= least && strings.HasSuffix(word, ending) }
	switch {
	case has("ly", 5) && !isNounInLy[word]:
		if nounMayFollow(after) && (before == determiner || before == stop || before == adjective) && closed[after] == 0 &&
			!isAdjective[after] &&
			!strings.HasSuffix(after, "ed") {
			return adjective
		}
		return adverb
	case has("ed", 5) && !has("eed", 5):
		return participleOr(before, after)
	case has("ing", 6):
		return gerundOr(word, before, after)
	case has("ful", 5), has("less", 6), has("ous", 6), has("ish", 6) && nounMayFollow(after), has("able", 7) && word != "vegetable" &&
		word != "table":
		if describes(all, i, before, after) {
			return adjective
		}
	}
	return noun
}
