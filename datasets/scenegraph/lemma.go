package scenegraph

import "strings"

// Lemma is the singular of a noun in lower case, by the rules of English spelling and a list of exceptions. Words that look like a plural
// and are none ("tennis", "grass") stay, and so does what has no singular that captions use ("people", "jeans").
func Lemma(noun string) string {
	if singular, ok := irregularNouns[noun]; ok {
		return singular
	}
	has := func(endings ...string) bool {
		for _, ending := range endings {
			if strings.HasSuffix(noun, ending) {
				return true
			}
		}
		return false
	}
	n := len(noun)
	switch {
	case n < 4 || !has("s") || has("ss", "us", "is"):
		return noun
	case has("ies"):
		return noun[:n-3] + "y"
	case has("sses", "shes", "ches", "xes", "oes", "zzes"):
		return noun[:n-2]
	}
	return noun[:n-1]
}

// irregularNouns maps plurals that no rule makes, and nouns that only look like one, to what they are called.
var irregularNouns = func() map[string]string {
	of := map[string]string{
		"men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose", "mice": "mouse", "oxen": "ox",
		"buses": "bus", "busses": "bus", "lenses": "lens", "gases": "gas", "cacti": "cactus", "leaves": "leaf", "skies": "sky",
		"axes": "axe", "aches": "ache", "bras": "bra", "men's": "man", "iris": "iris", "quizzes": "quiz", "media": "medium",
	}
	for _, singular := range strings.Fields("policeman fireman snowman workman fisherman businessman sportsman cameraman batsman cowman doorman " +
		"policewoman sportswoman gentleman salesman horseman lifeguardsman serviceman snowwoman businesswoman") {
		of[strings.TrimSuffix(singular, "an")+"en"] = singular
	}
	for _, singular := range strings.Fields("shelf loaf half calf knife wife scarf hoof wolf elf bookshelf life thief") {
		of[strings.TrimSuffix(strings.TrimSuffix(singular, "fe"), "f")+"ves"] = singular
	}
	for _, singular := range strings.Fields("movie cookie brownie hoodie tie pie zombie selfie smoothie veggie bowtie necktie birdie doggie rookie " +
		"shoe toe canoe horseshoe snowshoe oboe tiptoe") {
		of[singular+"s"] = singular
	}
	for _, same := range strings.Fields("people pants jeans shorts glasses sunglasses eyeglasses scissors clothes trousers leggings tights pajamas overalls " +
		"goggles binoculars headphones tongs pliers bleachers gas bus lens canvas atlas christmas series species swiss news its this " +
		"his has was yes as us sports graffiti underpants suspenders species asparagus hummus dunes' chess") {
		of[same] = same
	}
	return of
}()

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
			of[base] = verbForm{base, base_}
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
