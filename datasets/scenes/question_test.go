package scenes

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// matching are the objects that have all words of a phrase, whatever their order and number.
func matching(s Scene, phrase string) (found []Object) {
	for _, o := range s.Objects {
		has := map[string]bool{"a": true, "an": true, "object": true, "objects": true, "crosses": o.Shape == Cross}
		for _, word := range []string{o.Size.String(), o.Texture.String(), o.Colour.String(), o.Shape.String()} {
			has[word], has[word+"s"] = true, true
		}
		if !slices.ContainsFunc(strings.Fields(phrase), func(word string) bool { return !has[word] }) {
			found = append(found, o)
		}
	}
	return found
}

// lies tells whether an object is in a direction of another.
func lies(a Object, direction string, b Object) bool {
	return map[string]bool{"left of": a.Column < b.Column, "right of": a.Column > b.Column, "above": a.Row < b.Row,
		"below": a.Row > b.Row}[direction]
}

// facetOf is a word of an object.
func facetOf(o Object, facet string) string {
	return map[string]string{"shape": o.Shape.String(), "colour": o.Colour.String(), "size": o.Size.String(),
		"texture": o.Texture.String()}[facet]
}

// slowAnswers are the answers of a scene to questions of each form, by the words alone; "" where there is none.
var slowAnswers = []struct {
	form   *regexp.Regexp
	answer func(s Scene, part []string) string
}{
	{regexp.MustCompile(`^is there (an? [a-z ]+) \?$`), func(s Scene, part []string) string {
		return yes(captionHolds(s, part[1]))
	}},
	{regexp.MustCompile(`^how many ([a-z ]+) are there \?$`), func(s Scene, part []string) string {
		return strconv.Itoa(len(matching(s, part[1])))
	}},
	{regexp.MustCompile(`^what is the ground \?$`), func(s Scene, part []string) string { return s.Ground.String() }},
	{regexp.MustCompile(`^what (shape|colour|size|texture) is the ([a-z ]+) \?$`), func(s Scene, part []string) string {
		if about := matching(s, part[2]); len(about) == 1 {
			return facetOf(about[0], part[1])
		}
		return ""
	}},
	{regexp.MustCompile(`^are there more ([a-z ]+) than ([a-z ]+) \?$`), func(s Scene, part []string) string {
		return yes(len(matching(s, part[1])) > len(matching(s, part[2])))
	}},
	{regexp.MustCompile(`^is the ([a-z ]+) (bigger than|left of|right of|above|below) the ([a-z ]+) \?$`),
		func(s Scene, part []string) string {
			a, b := matching(s, part[1]), matching(s, part[3])
			if len(a) != 1 || len(b) != 1 || a[0] == b[0] {
				return ""
			}
			if part[2] == "bigger than" {
				return yes(a[0].Size == Big && b[0].Size == Small)
			}
			return yes(lies(a[0], part[2], b[0]))
		}},
	{regexp.MustCompile(`^do the ([a-z ]+) and the ([a-z ]+) have the same (shape|colour|size|texture) \?$`),
		func(s Scene, part []string) string {
			a, b := matching(s, part[1]), matching(s, part[2])
			if len(a) != 1 || len(b) != 1 || a[0] == b[0] {
				return ""
			}
			return yes(facetOf(a[0], part[3]) == facetOf(b[0], part[3]))
		}},
	{regexp.MustCompile(`^what is (left of|right of|above|below) the ([a-z ]+) \?$`), func(s Scene, part []string) string {
		of, there := matching(s, part[2]), 0
		if len(of) != 1 {
			return ""
		}
		answer := ""
		for _, o := range s.Objects {
			if lies(o, part[1], of[0]) {
				there, answer = there+1, o.Shape.String()
			}
		}
		if there != 1 {
			return ""
		}
		return answer
	}},
}

var captionForm = regexp.MustCompile(`^(an? [a-z ]+?)(?: (left of|right of|above|below) (an? [a-z ]+?))?(?: on ([a-z]+))?$`)

// captionHolds tells by the words alone whether a caption is true.
func captionHolds(s Scene, caption string) bool {
	part := captionForm.FindStringSubmatch(caption)
	if part == nil || part[4] != "" && part[4] != s.Ground.String() {
		return false
	}
	for _, subject := range matching(s, part[1]) {
		if part[2] == "" || slices.ContainsFunc(matching(s, part[3]), func(o Object) bool { return lies(subject, part[2], o) }) {
			return true
		}
	}
	return false
}

func slowAnswer(s Scene, question string) (answer string, is bool) {
	for _, slow := range slowAnswers {
		if part := slow.form.FindStringSubmatch(question); part != nil {
			return slow.answer(s, part), true
		}
	}
	return "", false
}

// eachWorld runs a test in every world.
func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	for _, w := range worlds {
		t.Run(w.collection, func(t *testing.T) { test(t, w) })
	}
}

// Every question has its exact answer, from the scene, from its text, and by its words alone.
func TestQuestionsHaveTheirAnswers(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		s := open(t, Config{World: w.name}, "val")
		questions := s.Questions()
		each, texts := make([]int, s.Len()), map[string]bool{}
		for k, q := range questions {
			if k > 0 && q.Image < questions[k-1].Image {
				t.Fatalf("question %d is not with its image", k)
			}
			each[q.Image]++
			scene := s.Scene(q.Image)
			got, err := Answer(scene, q.Text)
			slow, is := slowAnswer(scene, q.Text)
			if err != nil || len(q.Answers) != 1 || q.Answers[0] != got || !is || slow != got {
				t.Fatalf("%q of %+v: the answers %q, from the text %q, %v, by the words %q %v", q.Text, scene, q.Answers, got,
					err, slow, is)
			}
			if at := s.Key(q.Image) + q.Text; texts[at] {
				t.Errorf("%q is asked twice of image %d", q.Text, q.Image)
			} else {
				texts[at] = true
			}
		}
		total := 0
		for i, n := range each {
			total += n
			if n < questionsEach || n > 2*questionsEach {
				t.Errorf("image %d has %d questions", i, n)
			}
		}
		if mean := float64(total) / float64(s.Len()); mean > 1.1*questionsEach {
			t.Errorf("%.2f questions an image", mean)
		}
	})
}

// A fifth of the questions is of each kind, with the words for answers that the official evaluation has.
func TestKindsOfQuestions(t *testing.T) {
	s := open(t, Config{}, "train")
	kinds, answerKinds := map[string]float64{}, map[string]map[string]bool{}
	for _, q := range s.Questions() {
		kinds[q.Kind] += 1 / float64(len(s.Questions()))
		if answerKinds[q.Kind] == nil {
			answerKinds[q.Kind] = map[string]bool{}
		}
		answerKinds[q.Kind][q.AnswerKind] = true
		want := "other"
		switch answer := q.Answers[0]; {
		case answer == "yes" || answer == "no":
			want = "yes/no"
		case strings.Trim(answer, "0123456789") == "":
			want = "number"
		}
		if q.AnswerKind != want {
			t.Fatalf("%q with answer %q is of kind %q, want %q", q.Text, q.Answers, q.AnswerKind, want)
		}
	}
	for _, kind := range []string{Exist, Count, Attribute, Compare, Relation} {
		if math.Abs(kinds[kind]-.2) > .01 {
			t.Errorf("%.3f of the questions are of kind %s, want a fifth", kinds[kind], kind)
		}
	}
	if len(kinds) != 5 || len(answerKinds[Relation]) != 2 || len(answerKinds[Exist]) != 1 {
		t.Errorf("got the kinds %v with answers of %v", kinds, answerKinds)
	}
	shares := 0
	for _, template := range templates {
		shares += template.share
	}
	if shares != 100 {
		t.Errorf("the shares of the templates are %d hundredths", shares)
	}
}

// chance is the share of right answers to a question of a form by whom draws them.
func chance(t *testing.T, v *vocabulary, question string) float64 {
	t.Helper()
	form, said := must.Get2(read("question", question, templates, func(t template) pattern { return t.pattern }))(t)
	return 1 / float64(len(form.answers(v, said)))
}

// Whoever answers by the text of questions alone, as the training split answers it most often, is right by chance, over all questions
// and over those of each kind of answers.
func TestQuestionsTellNoAnswers(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		train, test := open(t, Config{World: w.name}, "train"), open(t, Config{World: w.name}, "test")
		counts := map[string]map[string]int{}
		for _, q := range train.Questions() {
			if counts[q.Text] == nil {
				counts[q.Text] = map[string]int{}
			}
			counts[q.Text][q.Answers[0]]++
		}
		// Equal counts are told apart by the answer that is most frequent elsewhere; here by the alphabet, which is as good.
		majority := func(text string) (best string) {
			for answer, n := range counts[text] {
				if most := counts[text][best]; n > most || n == most && answer < best {
					best = answer
				}
			}
			return best
		}
		right, expected, n, known := map[string]float64{}, map[string]float64{}, map[string]float64{}, 0.
		for _, q := range test.Questions() {
			if counts[q.Text] != nil {
				known++
				n[q.AnswerKind]++
				expected[q.AnswerKind] += chance(t, &w.shown, q.Text)
				if majority(q.Text) == q.Answers[0] {
					right[q.AnswerKind]++
				}
			}
		}
		if share := known / float64(len(test.Questions())); share < .7 {
			t.Errorf("%.2f of the test questions were asked in training, too few to tell", share)
		}
		for kind := range n {
			if got, want := right[kind]/n[kind], expected[kind]/n[kind]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %.3f are right by the text alone, want chance, %.3f", kind, got, want)
			}
		}
		// Of the answers to other questions there are 2, 6 or 8.
		if other := expected["other"] / n["other"]; other < 1./8 || other > .3 {
			t.Errorf("chance is %.3f of other answers", other)
		}
		if len(n) != 3 || expected["yes/no"]/n["yes/no"] != .5 || expected["number"]/n["number"] != .25 {
			t.Errorf("chance is %v of %v", expected, n)
		}
	})
}

// Each question of a split has each of its answers as often, whatever is true of the words; so it is in small splits, too.
func TestAnswersAreUniform(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, images := range []int{2, 9, 60, 700} {
			s := open(t, Config{World: w.name, Val: images, OneShape: images == 60, Seed: uint64(images)}, "val")
			counts := map[string]map[string]int{}
			for _, q := range s.Questions() {
				if counts[q.Text] == nil {
					counts[q.Text] = map[string]int{}
				}
				counts[q.Text][q.Answers[0]]++
			}
			if len(counts) == 0 {
				t.Errorf("%d images have no questions", images)
			}
			for text, answers := range counts {
				if want := int(math.Round(1 / chance(t, &w.shown, text))); len(answers) != want {
					t.Errorf("%d images: %q has the answers %v, want all %d", images, text, answers, want)
				}
				first := -1
				for _, n := range answers {
					if first >= 0 && n != first {
						t.Errorf("%d images: %q has the answers %v", images, text, answers)
					}
					first = n
				}
			}
		}
		if questions := open(t, Config{World: w.name, Val: 1}, "val").Questions(); len(questions) != 0 {
			t.Errorf("an image that is alone has questions, whose answers their texts tell: %v", questions)
		}
	})
}

func TestAnswer(t *testing.T) {
	scene := Scene{Ground: Sand, Objects: []Object{
		{Attributes{Square, Red, Small, Plain}, 0, 1},
		{Attributes{Disc, Blue, Big, Striped}, 2, 1},
		{Attributes{Square, Blue, Big, Plain}, 2, 3},
	}}
	for question, want := range map[string]string{
		"is there a red square ?":                                         "yes",
		"is there a striped square ?":                                     "no",
		"is there a disc above a square on sand ?":                        "yes",
		"how many squares are there ?":                                    "2",
		"how many objects are there ?":                                    "3",
		"how many crosses are there ?":                                    "0",
		"what colour is the disc ?":                                       "blue",
		"what shape is the striped object ?":                              "disc",
		"what size is the red square ?":                                   "small",
		"what texture is the big square ?":                                "plain",
		"what is the ground ?":                                            "sand",
		"are there more squares than discs ?":                             "yes",
		"are there more small objects than discs ?":                       "no",
		"is the disc bigger than the red object ?":                        "yes",
		"is the red object bigger than the disc ?":                        "no",
		"is the disc bigger than the big square ?":                        "no",
		"do the disc and the big square have the same colour ?":           "yes",
		"do the disc and the big square have the same texture ?":          "no",
		"is the red square left of the disc ?":                            "yes",
		"is the red square above the disc ?":                              "no",
		"what is below the disc ?":                                        "square",
		"what is left of the big square ?":                                "square",
		"  what\tis  the ground ? ":                                       "sand",
		"is there a star ?":                                               "no",
		"do the red square and the big square have the same shape ?":      "yes",
		"do the small object and the striped object have the same size ?": "no",
	} {
		if got, err := Answer(scene, question); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", question, got, err, want)
		}
	}
	for question, want := range map[string]string{
		"what colour is the square ?":          "has no answer", // there are two
		"what colour is the ring ?":            "has no answer",
		"what is right of the red square ?":    "has no answer", // both others are
		"what is above the disc ?":             "has no answer",
		"is the disc left of the disc ?":       "has no answer",
		"is the disc left of the blue disc ?":  "has no answer",
		"":                                     `word 1 is the end; want "is"`,
		"what colour is the disc":              `word 6 is the end; want "?"`,
		"what weight is the disc ?":            `word 2 is "weight"`,
		"is the disc behind the ring ?":        `word 4 is "behind"`,
		"how many disc are there ?":            `word 3 is "disc"; want size, texture, colour and shape`,
		"how many discs are there ? please":    `word 7 is "please"; want the end`,
		"is there a disc on fire ?":            `word 6 is "fire"; want a ground`,
		"is there disc ?":                      `word 3 is "disc"; want "a" or "an object"`,
		"do the disc and the ring have same ?": `word 8 is "same"; want "the"`,
	} {
		got, err := Answer(scene, question)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "scenes: question ") {
			t.Errorf("%q: got %q and error %v, want an error with %q", question, got, err, want)
		}
	}
}

// drawSaying draws what can fill a pattern.
func drawSaying(t *rapid.T, p pattern) (s saying) {
	subject, object := allWords.anyAttributes(0), allWords.anyAttributes(0)
	for _, slot := range strings.Fields(string(p)) {
		switch slot {
		case "<caption>":
			s.Graph = allWords.anyGraph().Draw(t, "caption")
		case "<subject>", "<subjects>":
			s.Subject = subject.Draw(t, "subject")
		case "<object>", "<objects>":
			s.Object = object.Draw(t, "object")
		case "<count>":
			s.Subject, s.number = subject.Draw(t, "subject"), rapid.IntRange(1, len(numberWords)-1).Draw(t, "number")
		case "<direction>":
			s.Direction = rapid.SampledFrom(directions).Draw(t, "direction")
		case "<facet>":
			s.facet = rapid.SampledFrom(facets).Draw(t, "facet")
		}
	}
	return s
}

// Any question is read back from its text, and its answer is what its words say, of any scene.
func TestAnswerIsWhatTheWordsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, len(templates)-1).Draw(t, "template")
		s := drawSaying(t, templates[k].pattern)
		text := templates[k].pattern.render(s)
		form, got, err := read("question", text, templates, func(t template) pattern { return t.pattern })
		if err != nil || form.pattern != templates[k].pattern || got != s {
			t.Fatalf("%q: got %q, %+v, %v, want %+v", text, form.pattern, got, err, s)
		}
		scene := anyScene().Draw(t, "scene")
		answer, err := Answer(scene, text)
		if slow, is := slowAnswer(scene, text); !is || slow != answer || (err == nil) != (slow != "") {
			t.Fatalf("%q of %+v: got %q, %v; by the words %q %v", text, scene, answer, err, slow, is)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		"is there a red disc left of an object on sand ?", "how many striped crosses are there ?", "what colour is the small disc ?",
		"what is the ground ?",
		"are there more discs than stars ?", "is the disc bigger than the ring ?", "do the square and the ring have the same colour ?",
		"is the disc left of the ring ?", "what is above the object ?", "is there a object ?",
	} {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		scene := worlds[seed%2].drawScene(stream(seed, 0, forObjects, 0), false)
		answer, err := Answer(scene, text)
		form, s, problem := read("question", text, templates, func(t template) pattern { return t.pattern })
		if problem != nil {
			if err == nil {
				t.Errorf("%q is no question, and has the answer %q", text, answer)
			}
			return
		}
		said := strings.Join(strings.Fields(text), " ")
		if got := form.pattern.render(s); got != said {
			t.Errorf("%q is read as %q", text, got)
		}
		if slow, is := slowAnswer(scene, said); !is || slow != answer || (err == nil) != (slow != "") {
			t.Errorf("%q of %+v: got %q, %v; by the words %q %v", text, scene, answer, err, slow, is)
		}
	})
}

func BenchmarkQuestions(b *testing.B) {
	for b.Loop() {
		s := newSplit(Config{Train: 10000}.WithDefaults(), &firstWorld, 0, 10000, 5)
		if len(s.Questions()) < 40000 || len(s.Statements()) < 19000 {
			b.Fatal("too few questions or statements")
		}
	}
}
