package scenes

import (
	"math"
	"strings"
	"testing"

	"vlpx.internal/datasets"
)

// An image is in domain where captions of the first world can name all its objects, out of it where they can name none.
func TestDomains(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		s := open(t, Config{World: w.name}, "train")
		view := datasets.WithDomains(datasets.First(datasets.Uncaptioned(s), s.Len()-1, 1))
		shares := map[string]float64{}
		for i := range s.Len() - 1 {
			named := ""
			for _, o := range s.Scene(i).Objects {
				if _, err := Parse("a " + o.Shape.String()); err == nil {
					named += "+"
				} else {
					named += "-"
				}
			}
			want := datasets.NearDomain
			switch {
			case strings.Trim(named, "+") == "":
				want = datasets.InDomain
			case strings.Trim(named, "-") == "":
				want = datasets.OutOfDomain
			}
			got := view.Domain(i)
			if shares[got] += 1 / float64(s.Len()-1); got != want {
				t.Fatalf("image %d with objects %s: got the domain %q, want %q", i, named, got, want)
			}
		}
		// One object is in domain with probability 1/2, two with 1/4, three with 1/8.
		want := map[string]float64{datasets.InDomain: .25, datasets.NearDomain: .5, datasets.OutOfDomain: .25}
		if w == &firstWorld {
			want = map[string]float64{datasets.InDomain: 1}
		}
		for _, domain := range datasets.Domains {
			if math.Abs(shares[domain]-want[domain]) > .03 {
				t.Errorf("share of images %s of domain: got %.3f, want %.3f", domain, shares[domain], want[domain])
			}
		}
	})
}

// Every image has five references for captioning by default, all true of it.
func TestReferences(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		s := open(t, Config{World: w.name}, "test")
		for i := range s.Len() {
			if n := len(s.Captions(i)); n != 5 {
				t.Fatalf("image %d has %d captions, want 5", i, n)
			}
			for _, caption := range s.Captions(i) {
				if holds, known := s.Judge(i, caption); !holds || !known {
					t.Errorf("%q of image %d: got %v, known %v", caption, i, holds, known)
				}
			}
		}
	})
}
