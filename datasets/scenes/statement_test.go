package scenes

import (
	"fmt"
	"hash/crc32"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

func numbered(word string) int { return slices.Index(numberWords[:], word) }

// slowTruths are the truths of two scenes for statements of each form, by the words alone.
var slowTruths = []struct {
	form  *regexp.Regexp
	truth func(left, right Scene, part []string) (holds, known bool)
}{
	{regexp.MustCompile(`^the left image has (\w+) ([a-z ]+) more than the right one$`),
		func(left, right Scene, part []string) (bool, bool) {
			return len(matching(left, part[2])) == len(matching(right, part[2]))+numbered(part[1]), true
		}},
	{regexp.MustCompile(`^the two images have (\w+) ([a-z ]+) in total$`), func(left, right Scene, part []string) (bool, bool) {
		return len(matching(left, part[2]))+len(matching(right, part[2])) == numbered(part[1]), true
	}},
	{regexp.MustCompile(`^one image has (\w+) ([a-z ]+) and the other none$`), func(left, right Scene, part []string) (bool, bool) {
		a, b, n := len(matching(left, part[2])), len(matching(right, part[2])), numbered(part[1])
		return a == n && b == 0 || a == 0 && b == n, true
	}},
	{regexp.MustCompile(`^both images have the same number of ([a-z ]+)$`), func(left, right Scene, part []string) (bool, bool) {
		return len(matching(left, part[1])) == len(matching(right, part[1])), true
	}},
	{regexp.MustCompile(`^there is ([a-z ]+) in exactly one image$`), func(left, right Scene, part []string) (bool, bool) {
		a, b := captionHolds(left, part[1]), captionHolds(right, part[1])
		return a && !b || b && !a, true
	}},
	{regexp.MustCompile(`^both images have ([a-z ]+) or neither has$`), func(left, right Scene, part []string) (bool, bool) {
		a, b := captionHolds(left, part[1]), captionHolds(right, part[1])
		return a && b || !a && !b, true
	}},
	{regexp.MustCompile(`^the images have the same ground$`), func(left, right Scene, _ []string) (bool, bool) {
		return left.Ground.String() == right.Ground.String(), true
	}},
	{
		regexp.MustCompile(`^the ([a-z ]+) of the left image and the ([a-z ]+) of the right one have the same (\w+)$`),
		func(left, right Scene, part []string) (bool, bool) {
			a, b := matching(left, part[1]), matching(right, part[2])
			if len(a) != 1 || len(b) != 1 {
				return false, false
			}
			return facetOf(a[0], part[3]) == facetOf(b[0], part[3]), true
		},
	},
}

func slowTruth(left, right Scene, statement string) (holds, known, is bool) {
	for _, slow := range slowTruths {
		if part := slow.form.FindStringSubmatch(statement); part != nil {
			holds, known = slow.truth(left, right, part)
			return holds, known, true
		}
	}
	return false, false, false
}

// Every statement is as true as it says, from the scenes, from its text, and by its words alone; each image is the left one of two.
func TestStatementsAreTrueOrFalse(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		s := open(t, Config{World: w.name}, "val")
		left, forms := make([]int, s.Len()), map[pattern]int{}
		statements := s.Statements()
		for k, a := range statements {
			if k > 0 && a.Left < statements[k-1].Left {
				t.Fatalf("statement %d is not with its left image", k)
			}
			left[a.Left]++
			b, c := s.Scene(a.Left), s.Scene(a.Right)
			got, err := Judge(b, c, a.Text)
			slow, known, _ := slowTruth(b, c, a.Text)
			if err != nil || got != a.True || !known || slow != a.True || a.Left == a.Right {
				t.Fatalf("%+v of %+v and %+v: from the text %v, %v, by the words %v %v", a, b, c, got, err, slow, known)
			}
			form, _ := must.Get2(read("statement", a.Text, claims, func(c claim) pattern { return c.pattern }))(t)
			forms[form.pattern]++
		}
		for i, n := range left {
			if n != 2 {
				t.Errorf("image %d is the left one of %d statements, want 2", i, n)
			}
		}
		for _, c := range claims {
			if share := float64(forms[c.pattern]) / float64(len(statements)); math.Abs(share-1/float64(len(claims))) > .02 {
				t.Errorf("%.3f of the statements are %q, want as many of each form", share, c.pattern)
			}
		}
	})
}

// The text of a statement has as many true as false ones in a split, and so has the text with its left or with its right image: nobody who
// sees one image alone can be right more often than half of the time.
func TestOneImageTellsNothing(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, images := range []int{4, 25, 500} {
			s := open(t, Config{World: w.name, Val: images, Seed: uint64(images)}, "val")
			type seen struct {
				text  string
				image int
				side  string
			}
			balance := map[seen]int{}
			for _, a := range s.Statements() {
				sign := -1
				if a.True {
					sign = 1
				}
				balance[seen{text: a.Text}] += sign
				balance[seen{a.Text, a.Left, "left"}] += sign
				balance[seen{a.Text, a.Right, "right"}] += sign
			}
			for what, n := range balance {
				if n != 0 {
					t.Errorf("%d images: %+v has %+d true statements more than false ones", images, what, n)
				}
			}
			if n := len(s.Statements()); n < 2*(images-3) || n%4 != 0 {
				t.Errorf("%d statements about %d images", n, images)
			}
		}
	})
}

// Whoever learned from the training split what its statements' texts, with what they count in one of the images, mostly are is right by
// chance.
func TestCountsOfOneImageTellNothing(t *testing.T) {
	train, test := open(t, Config{}, "train"), open(t, Config{}, "test")
	for _, side := range []string{"left", "right", "none"} {
		type seen struct {
			text           string
			count, objects int
		}
		look := func(s *Split, a datasets.Statement) seen {
			one := s.Scene(a.Left)
			switch side {
			case "none":
				return seen{text: a.Text}
			case "right":
				one = s.Scene(a.Right)
			}
			_, said := must.Get2(read("statement", a.Text, claims, func(c claim) pattern { return c.pattern }))(t)
			return seen{a.Text, one.count(said.Subject), len(one.Objects)}
		}
		learned := map[seen]int{}
		for _, a := range train.Statements() {
			if a.True {
				learned[look(train, a)]++
			} else {
				learned[look(train, a)]--
			}
		}
		right, n := 0., 0.
		for _, a := range test.Statements() {
			n++
			if a.True == (learned[look(test, a)] >= 0) {
				right++
			}
		}
		if right/n != .5 {
			t.Errorf("%.4f are right by the text and %s image, want half", right/n, side)
		}
	}
}

// TestAskedAndStatedVersion fails when the same seed gives other questions or statements: then change generator, and these numbers.
func TestAskedAndStatedVersion(t *testing.T) {
	for world, want := range map[string][2]uint32{"": {0xb772480e, 0x6f419cf1}, SecondWorld: {0x4628db47, 0x552d1e9b}} {
		// The size of another split, and pixels, are of no account.
		s, asked, stated := open(t, Config{World: world, Train: 7, Size: 64}, "test"), crc32.NewIEEE(), crc32.NewIEEE()
		for _, q := range s.Questions() {
			fmt.Fprintln(asked, q.Image, q.Text, q.Answers, q.Kind, q.AnswerKind)
		}
		for _, a := range s.Statements() {
			fmt.Fprintln(stated, a.Left, a.Right, a.Text, a.True)
		}
		if got := [2]uint32{asked.Sum32(), stated.Sum32()}; got != want {
			t.Errorf("world %q: got the checksums %#x, want %#x", world, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	left := Scene{Ground: Sand, Objects: []Object{
		{Attributes{Square, Red, Small, Plain}, 0, 1},
		{Attributes{Disc, Blue, Big, Striped}, 2, 1},
		{Attributes{Square, Blue, Big, Plain}, 2, 3},
	}}
	right := Scene{Ground: Grass, Objects: []Object{{Attributes{Square, Blue, Small, Striped}, 0, 0}}}
	for statement, want := range map[string]bool{
		"the left image has one square more than the right one":                               true,
		"the left image has two squares more than the right one":                              false,
		"the two images have three squares in total":                                          true,
		"the two images have two blue squares in total":                                       true,
		"the two images have four squares in total":                                           false,
		"one image has one disc and the other none":                                           true,
		"one image has two squares and the other none":                                        false,
		"both images have the same number of small objects":                                   true,
		"both images have the same number of discs":                                           false,
		"there is a disc in exactly one image":                                                true,
		"there is a blue object in exactly one image":                                         false,
		"there is a square left of a disc in exactly one image":                               true,
		"both images have a star or neither has":                                              true,
		"both images have a ring above an object or neither has":                              true,
		"both images have a disc or neither has":                                              false,
		"the images have the same ground":                                                     false,
		"the disc of the left image and the square of the right one have the same colour":     true,
		"the disc of the left image and the object of the right one have the same size":       false,
		"the red square of the left image and the square of the right one have the same size": true,
	} {
		if got, err := Judge(left, right, statement); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", statement, got, err, want)
		}
	}
	for statement, want := range map[string]string{
		"": `word 1 is the end`,
		"the square of the left image and the object of the right one have the same size": "is neither true nor false",
		"the disc of the left image and the disc of the right one have the same size":     "is neither true nor false",
		"one image has one discs and the other none":                                      `word 5 is "discs"`,
		"one image has seven discs and the other none":                                    `word 4 is "seven"; want a number from one to six`,
		"the images have the same ground .":                                               `word 7 is "."; want the end`,
	} {
		got, err := Judge(left, right, statement)
		if err == nil || got || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "scenes: statement ") {
			t.Errorf("%q: got %v and error %v, want an error with %q", statement, got, err, want)
		}
	}
}

// Any statement is read back from its text, and is as true as its words say, of any two scenes.
func TestJudgeIsWhatTheWordsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, len(claims)-1).Draw(t, "claim")
		s := drawSaying(t, claims[k].pattern)
		text := claims[k].pattern.render(s)
		form, got, err := read("statement", text, claims, func(c claim) pattern { return c.pattern })
		if err != nil || form.pattern != claims[k].pattern || got != s {
			t.Fatalf("%q: got %q, %+v, %v, want %+v", text, form.pattern, got, err, s)
		}
		left, right := anyScene().Draw(t, "left"), anyScene().Draw(t, "right")
		holds, err := Judge(left, right, text)
		if slow, known, is := slowTruth(left, right, text); !is || slow != holds || (err == nil) != known {
			t.Fatalf("%q of %+v and %+v: got %v, %v; by the words %v %v %v", text, left, right, holds, err, slow, known, is)
		}
	})
}

func FuzzJudge(f *testing.F) {
	for _, text := range []string{
		"the left image has one disc more than the right one", "the two images have six striped crosses in total",
		"one image has one ring and the other none",
		"both images have the same number of red objects", "there is a disc left of a ring on sand in exactly one image",
		"both images have an object or neither has", "the images have the same ground",
		"the disc of the left image and the object of the right one have the same colour",
	} {
		f.Add(text, uint64(1), uint64(2))
	}
	f.Fuzz(func(t *testing.T, text string, a, b uint64) {
		left := worlds[a%2].drawScene(stream(a, 0, forObjects, 0), false)
		right := worlds[b%2].drawScene(stream(b, 0, forObjects, 0), false)
		holds, err := Judge(left, right, text)
		form, s, problem := read("statement", text, claims, func(c claim) pattern { return c.pattern })
		if problem != nil {
			if err == nil || holds {
				t.Errorf("%q is no statement, and is judged %v, %v", text, holds, err)
			}
			return
		}
		said := strings.Join(strings.Fields(text), " ")
		if got := form.pattern.render(s); got != said {
			t.Errorf("%q is read as %q", text, got)
		}
		if slow, known, is := slowTruth(left, right, said); !is || slow != holds || (err == nil) != known {
			t.Errorf("%q of %+v and %+v: got %v, %v; by the words %v %v %v", text, left, right, holds, err, slow, known, is)
		}
	})
}
