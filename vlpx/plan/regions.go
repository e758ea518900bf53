package plan

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// source is that of the scale's regions for the request's data.
func (q Request) source(s scale.Scale) (string, error) {
	source := s.Regions.Source
	switch {
	case source == "" && q.Regions != "":
		source = scale.Files
	case source == "" && s.Locked.Side != 0:
		source = scale.Grid
	case source == "" && q.Folder():
		return "", fmt.Errorf("%s reads regions of images, and %s has none: give a folder of precomputed ones with -regions "+
			"(docs/REGIONS.md), or lock an image encoder "+
			"whose patches are regions with -set locked.side=7 -weights vision=%s", s.Framework, filepath.Base(q.Data), scale.Lockable)
	case source == "":
		source = scale.Boxes
	}
	switch {
	case source != scale.Boxes && source != scale.Files && source != scale.Grid:
		return "", fmt.Errorf("regions.source=%s: there are %s, %s and %s", source, scale.Boxes, scale.Files, scale.Grid)
	case (source == scale.Files) != (q.Regions != ""):
		return "", fmt.Errorf("regions.source=%s and the folder of files of regions %q: files are those of a folder, so give -regions "+
			"FOLDER or leave both out", source, q.Regions)
	case (source == scale.Grid) != (s.Locked.Side != 0):
		return "", fmt.Errorf("regions.source=%s with locked.side=%d: a grid is that of a locked encoder's patches; set both or neither",
			source, s.Locked.Side)
	}
	return source, nil
}

// regions lets runs whose framework reads regions have those of the scale. A grid they have with the encoder that is locked.
func (w planner) regions(runs []run.Run, s scale.Scale) error {
	if _, regional := runs[0].Train.Framework.Framework.(framework.Regional); !regional {
		return nil
	}
	of, err := w.source(s)
	if err != nil || of == scale.Grid {
		return err
	}
	source := regions.Source{Count: cmp.Or(s.Regions.Count, 4), Width: cmp.Or(s.Regions.Width, 128),
		Boxes: &regions.Boxes{Noise: s.Regions.Noise}}
	if of == scale.Files {
		source = regions.Source{Count: cmp.Or(s.Regions.Count, 100), Width: cmp.Or(s.Regions.Width, 2048), Files: w.files}
	}
	if err := source.Validate(); err != nil {
		return err
	}
	for k := range runs {
		see(&runs[k], source)
	}
	return nil
}

// see gives a run its regions, and to its framework their sizes.
func see(r *run.Run, of regions.Source) {
	r.Regions = of
	f := &r.Train.Framework
	f.Framework = f.Framework.(framework.Regional).WithRegions(of.Count, of.Width)
}

// seenBy tells what stands in front of every row, and what regions are where a row's framework reads these; empty where nothing does.
func (p *Plan) SeenBy() string {
	note := p.lockedNote()
	for _, runs := range p.Rows {
		if len(runs) > 0 && runs[0].Regions != (regions.Source{}) {
			name := runs[0].Train.Framework.Name()
			return strings.TrimSpace(fmt.Sprintf("%s %s reads images as %s.", note, name, regionsAre(runs[0].Regions)))
		}
	}
	return note
}

// regionsAre tells what the regions of a source are.
func regionsAre(of regions.Source) string {
	const network = ", with features by a small network that is not trained"
	switch {
	case of.Files != nil:
		return fmt.Sprintf("precomputed regions (%s)", Abbreviated(of.Files.Hash))
	case of.Grid:
		return "that encoder's patches"
	case of.Boxes.Noise > 0:
		return fmt.Sprintf("the boxes of their objects, %g of a side off%s", of.Boxes.Noise, network)
	}
	return "the boxes of their objects, as a perfect detector finds them" + network
}

// unused tells of a folder of regions that no run reads.
func (p *Plan) unused() error {
	if p.Planner.files == nil {
		return nil
	}
	for _, runs := range p.Rows {
		if len(runs) > 0 && runs[0].Regions.Files != nil {
			return nil
		}
	}
	return fmt.Errorf("regions in %s, and no run's framework reads regions; take one that does, such as UNITER, or leave them out",
		p.Planner.Regions)
}
