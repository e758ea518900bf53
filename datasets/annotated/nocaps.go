package annotated

import (
	"fmt"
	"regexp"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/cococaptions"
)

var noCapsFile = regexp.MustCompile(`^nocaps_(val|test)_.*\.json(?:\.gz)?$`)

// OpenNoCaps opens a folder with NoCaps' nocaps_val_4500_captions.json, nocaps_test_image_info.json, or both, and its pictures in val/,
// test/ or images/. Pictures of the test split have no captions: those are with the benchmark's server.
func OpenNoCaps(dir string) (*Collection, error) {
	return open("nocaps", dir, noCapsFile, func(parts []string) string { return parts[1] }, (*Collection).readNoCaps)
}

// domains are NoCaps' words for them.
var domains = map[cococaptions.Domain]string{
	cococaptions.InDomain:    datasets.InDomain,
	cococaptions.NearDomain:  datasets.NearDomain,
	cococaptions.OutOfDomain: datasets.OutOfDomain,
}

func (c *Collection) readNoCaps(s source) (datasets.Set, error) {
	name, err := c.account(s.file)
	if err != nil {
		return nil, err
	}
	all, err := cococaptions.Read(name)
	if err != nil {
		return nil, err
	}
	set := domained{pictures: c.pictures(s)}
	set.captions = [][]string{}
	for k, image := range all {
		domain, ok := domains[image.Domain]
		if !ok {
			return nil, fmt.Errorf("%s: image %d (%q): no domain; is this a file of NoCaps?", s.file, k, image.File)
		}
		if _, twice := set.place[image.File]; twice {
			return nil, fmt.Errorf("%s: image %d (%q): another image has this file; drop one", s.file, k, image.File)
		}
		if _, ok := set.add(s.split, image.File); ok {
			set.captions, set.domains = append(set.captions, image.Captions), append(set.domains, domain)
		}
	}
	return set, nil
}
