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
		"men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth", "geese": "goose", "mice": "mouse",
		"oxen":  "ox",
		"buses": "bus", "busses": "bus", "lenses": "lens", "gases": "gas", "cacti": "cactus", "leaves": "leaf", "skies": "sky",
		"axes": "axe", "aches": "ache", "bras": "bra", "quizzes": "quiz", "media": "medium", "skis": "ski", "bikinis": "bikini",
	}
	for _, singular := range strings.Fields("policeman fireman snowman workman fisherman businessman sportsman cameraman batsman " +
		"cowman doorman policewoman sportswoman gentleman salesman horseman lifeguardsman serviceman snowwoman businesswoman") {
		of[strings.TrimSuffix(singular, "an")+"en"] = singular
	}
	for _, singular := range strings.Fields("shelf loaf half calf knife wife scarf hoof wolf elf bookshelf life thief") {
		of[strings.TrimSuffix(strings.TrimSuffix(singular, "fe"), "f")+"ves"] = singular
	}
	for _, singular := range strings.Fields("movie cookie brownie hoodie tie pie zombie selfie smoothie veggie bowtie necktie birdie " +
		"doggie rookie shoe toe canoe horseshoe snowshoe oboe tiptoe") {
		of[singular+"s"] = singular
	}
	for _, same := range strings.Fields("people pants jeans shorts glasses sunglasses eyeglasses scissors clothes trousers leggings " +
		"tights pajamas overalls goggles binoculars headphones tongs pliers bleachers gas bus lens canvas atlas christmas series species " +
		"swiss news its this his has was yes as us sports graffiti underpants suspenders") {
		of[same] = same
	}
	return of
}()
