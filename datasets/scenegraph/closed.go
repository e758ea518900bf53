package scenegraph

import "strings"

// class is what a word is in its caption.
type class uint8

// The classes.
const (
	noun class = iota
	adjective
	numeral
	determiner
	owner // his, their
	pronoun
	possessive // 's
	preposition
	copula
	bare // of a verb
	finite
	gerund
	participle
	infinitive // to
	adverb
	conjunction
	comma
	relative // that, which, who
	there
	stop // any other sign
)

// closedWords are the words of the classes that have few.
var closedWords = map[class]string{
	determiner: "a an the this these those some any each every another both all either no one such what whose several many few " +
		"multiple numerous various other others different",
	owner:       "his her their its my your our",
	pronoun:     "he she it they him them himself herself itself themselves i you we us me everyone everything",
	copula:      "is are was were be been being am isn aren",
	conjunction: "and or & but nor",
	relative:    "that which who whom",
	adverb:      degrees + " partly mostly well barely indoors outdoors can could will would may might must should does did don doesn didn",
	preposition: "on in at by with under over above below beneath underneath behind beside besides near between among amongst around " +
		"across along alongside against through into onto inside outside off from to for of past toward towards within without upon atop " +
		"beyond during like amid next down up out after before opposite throughout inbetween w",
	comma: ",",
	there: "there",
}

// closed is the class of each of them.
var closed = func() map[string]class {
	of := map[string]class{}
	for c, words := range closedWords {
		for _, word := range strings.Fields(words) {
			of[word] = c
		}
	}
	return of
}()

// compounds are adjectives that make a compound with the noun behind them, by its singular.
var compounds = map[string]map[string]bool{"hot": set("dog tub"), "polar": set("bear"), "wet": set("suit"), "hard": set("hat"),
	"remote": set("control"), "french": set("fry"), "high": set("heel chair"), "grizzly": set("bear"), "public": set("transit")}

// spellings are names that FACTUAL spells in one way.
var spellings = map[string]string{"blond": "blonde", "wood": "wooden", "tshirt": "t-shirt", "t shirt": "t-shirt", "tee shirt": "t-shirt",
	"cell phone": "cellphone", "multicolored": "multi-colored"}

// numbers are the values of numerals; "one" is an article.
var numbers = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"ten":    "10",
	"eleven": "11", "twelve": "12"}

// prepositions are the names of prepositions and of the particles before them, where these are others than the words.
var prepositions = map[string]string{"below": "under", "beneath": "under", "underneath": "under", "atop": "on top of",
	"inbetween": "between",
	"amongst":   "among", "toward": "towards", "upon": "on", "besides": "beside", "w": "with"}

// set is the words of a list.
func set(words string) map[string]bool {
	of := map[string]bool{}
	for _, word := range strings.Fields(words) {
		of[word] = true
	}
	return of
}

var (
	// isNounish are adjectives that are as often nouns.
	isNounish = set("light orange cream square adult male female gold silver rectangle")
	// isMover are what moves without being alive: its verb may look like a noun.
	isMover = set(machines + " bus train truck van kite motorcycle helicopter wave shadow bridge trolley ship sailboat taxi " +
		"tram branch")
	isNominal      = set(nominal)
	isNounInIng    = set(nounsInIng)
	isNounInLy     = set(nounsInLy)
	isAmbiguousIng = set(ambiguousIng)
	isCompoundIng  = set(compoundIng)
	isCompoundHead = set(compoundHeads)
	isAdjective    = set(adjectives)
	isAttributive  = set(attributives)
	isQuantity     = set(quantities)
	isDescribing   = set(describing)
	isContainer    = set(containers)
	isSupport      = set(supports)
	isWhole        = set(wholes)
	isAnimate      = set(animates)
	isPart         = set(parts)
	isMachine      = set(machines)
	isFitting      = set(fittings)
	isClothing     = set(clothing)
	isColour       = set(colours)
	isShade        = set(shades)
	isDegree       = set(degrees)
)
