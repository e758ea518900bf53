package lab

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/export"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/survey"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/scale"
)

// Data is a collection as a scale would train on it.
type Data struct {
	Collection datasets.Collection
	scale      scale.Scale
}

// OpenData opens a folder by its name, or the generated scenes of a scale with settings; where each seed has scenes of its own, those of
// the first one.
func OpenData(o Options) (Data, error) {
	dir, err := o.folder(o.Data)
	if err != nil {
		return Data{}, err
	}
	s, err := scale.Preset(o.Scale, dir != "")
	if err != nil {
		return Data{}, err
	}
	if err := s.SetAll(o.Set); err != nil {
		return Data{}, err
	}
	if dir != "" {
		c, err := layout.Open(dir)
		return Data{c, s}, err
	}
	if len(o.Seeds) > 0 {
		s = s.Block(o.Seeds[0])
	}
	s = s.Resolved()
	s.Scenes.Train = s.TrainingScenes()
	if s.CaptionNoise != 0 {
		s.Scenes.CaptionNoise = s.CaptionNoise
	}
	c, err := scenes.New(s.Scenes)
	return Data{c, s}, err
}

// Survey is a table of what the data has, a column a split, and what is wrong. Without pictures none is opened.
func (d Data) Survey(ctx context.Context, pictures bool) (t tables.Table, wrong []error, err error) {
	limits := survey.Limits{Words: d.scale.MaxLen - 2, Side: d.scale.Image, Pictures: pictures}
	splits, err := survey.Of(ctx, d.Collection, limits)
	if err != nil {
		return t, nil, err
	}
	t = tables.Table{Title: "Data: " + d.Collection.Name(), Heading: "what"}
	for _, s := range splits {
		t.Columns = append(t.Columns, tables.Column{Name: s.Name})
	}
	for _, line := range surveyed(d.scale, pictures) {
		var cells []string
		told := false
		for _, s := range splits {
			text := line.of(s)
			told = told || text != "0" && text != ""
			cells = append(cells, text)
		}
		if told || line.always {
			t.Rows = append(t.Rows, words(line.name, cells...))
		}
	}
	t.Note = "Hash " + d.Collection.Hash() + "."
	if !slices.ContainsFunc(splits, func(s survey.Split) bool { return s.Related }) {
		t.Note += " Nobody told which captions are true of other images: runs know of false negatives by equal captions, and of no more."
	}
	return t, survey.Errors(d.Collection, splits), nil
}

// line is a row of a survey.
type line struct {
	name   string
	always bool // also where it is 0 in every split
	of     func(survey.Split) string
}

func surveyed(s scale.Scale, pictures bool) []line {
	number := func(of func(survey.Split) int) func(survey.Split) string {
		return func(s survey.Split) string { return fmt.Sprint(of(s)) }
	}
	spread := func(of func(survey.Split) survey.Spread) func(survey.Split) string {
		return func(s survey.Split) string {
			if v := of(s); v.Most > 0 {
				return fmt.Sprintf("%d, %d, %d", v.Least, v.Median, v.Most)
			}
			return ""
		}
	}
	lines := []line{
		{"images", true, number(func(s survey.Split) int { return s.Images })},
		{"captions", true, number(func(s survey.Split) int { return s.Captions })},
		{"images without a caption", false, number(func(s survey.Split) int { return s.Silent })},
		{"words of a caption: least, median, most", false, spread(func(s survey.Split) survey.Spread { return s.Words })},
		{fmt.Sprintf("captions of more than %d words, cut off at %s", s.MaxLen-2, s.Name), false,
			number(func(s survey.Split) int { return s.Long })},
		{"texts that different images have", true, number(func(s survey.Split) int { return s.Equal.Texts })},
		{"captions of these texts", false, number(func(s survey.Split) int { return s.Equal.Captions })},
		{"images with such a caption", false, number(func(s survey.Split) int { return s.Equal.Images })},
		{"negatives that are false by an equal caption", true,
			func(s survey.Split) string { return fmt.Sprintf("%.3g %%", 100*s.Equal.Share) }},
		{"classes", false, number(func(s survey.Split) int { return s.Classes })},
		{"questions", false, number(func(s survey.Split) int { return s.Questions })},
		{"statements", false, number(func(s survey.Split) int { return s.Statements })},
	}
	if !pictures {
		return lines
	}
	return append(lines, []line{
		{"images that cannot be read", true, number(func(s survey.Split) int { return len(s.Unreadable) })},
		{"shorter side in pixels: least, median, most", false, spread(func(s survey.Split) survey.Spread { return s.Side })},
		{fmt.Sprintf("images below the %d pixels of %s, enlarged", s.Image, s.Name), false,
			number(func(s survey.Split) int { return s.Small })},
		{"images with the pixels of an earlier one", true, number(func(s survey.Split) int { return s.Twice })},
		{"of these, with the earlier one in another split", false, number(func(s survey.Split) int { return s.Leaked })},
	}...)
}

// onSheet is how many pictures of a split a contact sheet has.
const onSheet = 6

// ContactSheet shows pictures of each split with their first caption, as far apart in it as can be.
func (d Data) ContactSheet(ctx context.Context) (plots.Pictures, error) {
	sheet := plots.Pictures{Title: "Data: " + d.Collection.Name()}
	for _, name := range d.Collection.Splits() {
		set, err := d.Collection.Split(name)
		if err != nil {
			return sheet, err
		}
		shown := min(onSheet, set.Len())
		row := plots.PictureRow{Name: name}
		for k := range shown {
			i := k * set.Len() / shown
			picture, err := set.Image(ctx, i)
			if ctx.Err() != nil {
				return sheet, ctx.Err()
			}
			one := plots.Picture{Image: picture, Caption: strings.Join(set.Captions(i)[:min(1, len(set.Captions(i)))], "")}
			if err != nil {
				one = plots.Picture{Image: image.NewGray(image.Rect(0, 0, 1, 1)), Caption: set.Key(i) + " cannot be read"}
			}
			row.Pictures = append(row.Pictures, one)
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return sheet, nil
}

// Export writes generated scenes into a new folder, as package export has it, whole or not at all.
func (d Data) Export(ctx context.Context, dir string) error {
	if d.scale.OfFolder() {
		return fmt.Errorf("data %s lies in files already; only generated scenes are exported", d.Collection.Name())
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	prefix := "." + filepath.Base(dir) + "-"
	if err := disk.RemoveLeftDirs(filepath.Dir(dir), prefix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if entries, err := disk.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is there and has something in it; name a new folder", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := disk.MkdirAll(filepath.Dir(dir)); err != nil {
		return err
	}
	beside, err := disk.NewPendingDir(filepath.Dir(dir), prefix)
	if err != nil {
		return err
	}
	defer beside.Discard()
	fresh := filepath.Join(beside.Path, "new")
	if err := disk.Mkdir(fresh); err != nil {
		return err
	}
	if err := export.Write(ctx, fresh, d.Collection); err != nil {
		return err
	}
	if err := disk.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := disk.Rename(fresh, dir); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(dir))
}
