package caption

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// What PTBTokenizer's rules say of words that captions have; what it made of a sample of COCO's is in the golden vectors.
func TestPTB(t *testing.T) {
	for caption, want := range map[string]string{
		"": "", " ... ": "", "A man, a plan.": "a man a plan",
		"They can't, won't and cannot; I'm gonna": "they ca n't wo n't and can not i 'm gon na",
		"'Tis the men's' room, 'twas ours, dunno": "'t is the men 's room 't was ours du n no",
		"Jack's CD's and the boys' skis":          "jack 's cd 's and the boys skis",
		"near a 'no peddling' sign":               "near a no peddling sign",
		"rock 'n' roll of the '90s":               "rock 'n' roll of the '90s",
		"hors d'oeuvres at O'Hare at 5 o'clock":   "hors d'oeuvres at o'hare at 5 o'clock",
		"W 122 St., 12th Ave. and Main St":        "w 122 st. 12th ave. and main st",
		"in the U.S. on T.V. at 7:30 p.m.":        "in the u.s. on t.v. at 7:30 p.m.",
		"cats, dogs, etc.A boy":                   "cats dogs etc. a boy",
		"A person I. A hood":                      "a person i a hood",
		"a sign that reads No. 5, no.":            "a sign that reads no. 5 no",
		"parked.A street, .hit sidewalk..":        "parked.a street hit sidewalk",
		"upside-down 3.5-inch t-shirt/frisbee":    "upside-down 3.5-inch t-shirt/frisbee",
		"beach--kite - old- school ----":          "beach kite old school",
		"toilet,wash basin":                       "toilet wash basin",
		"22 3/4 or ½ of 1,000 on 11.01.2009":      "22\u00a03/4 or 1/2 of 1,000 on 11.01.2009",
		"$5 #41 50% AT&T b & w 10-29-2011":        "$ 5 # 41 50 % at&t b & w 10-29-2011",
		"(two) {sets} [of] <brackets>?!":          "-lrb- two -rrb- -lcb- sets -rcb- -lsb- of -rsb- <brackets> ?!",
		"me@home.org www.site.com #selfie @you":   "me@home.org www.site.com #selfie @you",
		"“Don’t” stop ‘believing’ — café":         "do n't stop believing café",
		"<a href='x y'>link</a> 1<b >":            "<a\u00a0href='x\u00a0y'> link </a> 1 <b\u00a0>",
		"two\nlines":                              "two lines",
		"p;ayer it;s \"red\"":                     "p ayer it s red",
	} {
		if got := PTB([]string{caption})[0]; got != want {
			t.Errorf("%q: got %q, want %q", caption, got, want)
		}
	}
}

// An initial that ends a line keeps its full stop unless the next line starts as sentences do.
func TestPTBReadsLinesAsOneText(t *testing.T) {
	got := PTB([]string{"12th Ave S.", "A street", "12th Ave S.", "Streets", "", "sign says no.", "2 men"})
	want := []string{"12th ave s", "a street", "12th ave s.", "streets", "", "sign says no.", "2 men"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: got %q, want %q", i, got[i], want[i])
		}
	}
}

// The short cut for plain words gives what the rules give.
func TestPlainWordsAgainstRules(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("a I cat Cannot gonna no St vs U.S. etc. it's don't o'clock 3 3/4 -5 , . ( ' \" & x-ray b/w " +
		"Dr e! #9 d'or n't 's é"))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "  "}).Draw(t, "between"))
		var slow []string
		for at := 0; at < len(text); {
			n, written := match(text[at:])
			slow = append(slow, written...)
			at += n
		}
		if got, want := strings.Join(split(text, ""), " "), strings.Join(slow, " "); got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

// COCO's test split takes seconds.
func TestTokeniseIsFast(t *testing.T) {
	items := make([]Item, 500)
	for i := range items {
		items[i] = Item{"A man riding a wave on top of a surfboard.", strings.Split(strings.Repeat("The man's dog can't catch the "+
			"t-shirt, is it?;", 5), ";")[:5]}
	}
	began := time.Now()
	must.Get(Tokenise(items))(t)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("500 items of 5 references took %v", took)
	}
}

// A soft hyphen is where a word may be parted, and by itself a hyphen, which does not count.
func TestSoftHyphens(t *testing.T) {
	if got := PTB([]string{"Indo\u00adnesian ship\u00adping \u00ad"}); got[0] != "indonesian shipping" {
		t.Errorf("got %q", got)
	}
}

func FuzzPTB(f *testing.F) {
	f.Add("A man, in a \"Red\" Shirt -- holds; (two) UMBRELLAS... isn't it?! [yes]", "A. b")
	f.Add("gonna' &amp; 1 1/2 (555) 123 4567 <b x='y'> :) \xff \u2028", "")
	f.Fuzz(func(t *testing.T, one, other string) {
		if len(one)+len(other) > 400 {
			return // longer than any caption; the rules may look through all of a line for the end of a token
		}
		tokens := PTB([]string{one, other})
		for _, line := range tokens {
			if strings.ContainsAny(line, "\n\t") || strings.Contains(line, "  ") || strings.Trim(line, " ") != line {
				t.Fatalf("%q: got %q, want tokens with one blank between them", one, line)
			}
		}
	})
}
