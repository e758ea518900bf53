package lab

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/run"
)

// Compare is a report of finished runs, named by the beginnings of their identities, whatever made them: runs that differ in nothing but
// the seed are a row, and each row is held against the first. It describes rows on other data, or of another scale. A run whose result is
// damaged is reported and left out.
func (s *Store) Compare(ids []string) (*Report, error) {
	if len(ids) == 0 {
		return nil, errors.New("no runs to compare; name some that vlpx runs lists")
	}
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	byID := identified(all)
	whole, err := s.identities(ids)
	if err != nil {
		return nil, err
	}
	var picked []run.Entry
	var damaged []string
	for _, id := range whole {
		switch e := byID[id]; {
		case e.Done:
			picked = append(picked, e)
		case e.State == run.Broken:
			damaged = append(damaged, strings.TrimPrefix(e.Err.Error(), "run: "))
		default:
			return nil, fmt.Errorf("run %s is %s; only finished runs are compared, so make it first, or leave it out",
				run.Short(id), e.State)
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("none of these runs can be read: %s", strings.Join(damaged, "; "))
	}
	rows, broken := s.alike(picked, byID)
	inner, err := paper.NewRunsReport(rows)
	if err != nil {
		return nil, err
	}
	inner.Damaged = append(damaged, broken...)
	return newReport(inner, View{})
}

// alike are rows of runs that differ in nothing but the seed, and in runs that they need likewise, in the order of the first of each.
// damaged has what tasks gave of them and cannot be read.
func (s *Store) alike(picked []run.Entry, byID map[string]run.Entry) (rows []paper.FinishedRuns, damaged []string) {
	keys, groups := []string{}, map[string][]run.Entry{}
	for _, e := range picked {
		k := seedless(e, byID, map[string]bool{})
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], e)
	}
	for _, group := range blocks(keys, groups) {
		first := group[0]
		row := paper.FinishedRuns{Name: about(first, nil).label(), Scale: about(first, nil).Scale, Data: first.Run.Data, Tasks: first.Run.Tasks,
			Train: first.Run.Train, Blocks: first.Run.Data.Hash != group[len(group)-1].Run.Data.Hash}
		if set := first.Label.Set; len(set) > 0 {
			row.Scale = strings.Join(append([]string{row.Scale}, set...), ", ")
		}
		for _, e := range group {
			row.Results = append(row.Results, e.Result)
			answers, err := s.AnswersOf(e.ID, e.Run.Code())
			if err != nil {
				damaged = append(damaged, strings.TrimPrefix(err.Error(), "run: "))
			}
			row.Answers = append(row.Answers, answers)
			if otherCode(e, byID) {
				row.OtherCode++
			}
		}
		rows = append(rows, row)
	}
	apart(rows)
	return rows, damaged
}

// blocks are groups of runs by seed. Where a group has a seed twice, its runs are on several worlds and parted by these.
func blocks(keys []string, groups map[string][]run.Entry) (parted [][]run.Entry) {
	for _, k := range keys {
		group := groups[k]
		slices.SortStableFunc(group, func(a, b run.Entry) int { return cmp.Compare(a.Run.Train.Seed, b.Run.Train.Seed) })
		seeds := map[uint64]bool{}
		for _, e := range group {
			seeds[e.Run.Train.Seed] = true
		}
		if len(seeds) == len(group) {
			parted = append(parted, group)
			continue
		}
		worlds := map[string][]run.Entry{}
		for _, e := range group {
			worlds[e.Run.Data.Hash] = append(worlds[e.Run.Data.Hash], e)
		}
		for _, hash := range slices.Sorted(maps.Keys(worlds)) {
			parted = append(parted, worlds[hash])
		}
	}
	return parted
}

// identified are entries by their identities.
func identified(all []run.Entry) map[string]run.Entry {
	byID := map[string]run.Entry{}
	for _, e := range all {
		byID[e.ID] = e
	}
	return byID
}

// otherCode reports whether other code than this program's made a run, or one that it continues.
func otherCode(e run.Entry, byID map[string]run.Entry) bool {
	return e.Stale() || slices.ContainsFunc(e.Needs(), func(need run.Need) bool {
		other, ok := byID[need.ID]
		return ok && otherCode(other, byID)
	})
}

// seedless is a run's configuration without its seed and that of its scenes, and with those of the runs that it needs in the place of their
// identities.
func seedless(e run.Entry, byID map[string]run.Entry, above map[string]bool) string {
	var fields map[string]json.RawMessage
	var training map[string]json.RawMessage
	if json.Unmarshal(e.JSON, &fields) != nil || json.Unmarshal(fields["Train"], &training) != nil || above[e.ID] {
		return e.ID
	}
	above[e.ID] = true
	defer delete(above, e.ID)
	delete(training, "Seed")
	if of := e.Run.Data; of.Scenes != nil {
		of.Scenes, of.Hash = new(scenes.Config), ""
		*of.Scenes = *e.Run.Data.Scenes
		of.Scenes.Seed = 0
		text, err := json.Marshal(of)
		if err != nil {
			return e.ID
		}
		fields["Data"] = text
	}
	var b bytes.Buffer
	for _, part := range []map[string]json.RawMessage{training, fields} {
		delete(part, "Train")
		text, err := json.Marshal(part)
		if err != nil {
			return e.ID
		}
		b.Write(text)
	}
	text := b.String()
	for _, need := range e.Needs() {
		if other, ok := byID[need.ID]; ok {
			text = strings.ReplaceAll(text, need.ID, seedless(other, byID, above))
		}
	}
	return text
}

// apart gives rows of one name names of their own: by what they differ in that has a name, else by the first run's identity.
func apart(rows []paper.FinishedRuns) {
	names := map[string][]int{}
	for i, row := range rows {
		names[strings.ToLower(row.Name)] = append(names[strings.ToLower(row.Name)], i)
	}
	for _, same := range names {
		if len(same) == 1 {
			continue
		}
		for _, more := range []func(paper.FinishedRuns) string{
			func(p paper.FinishedRuns) string { return p.Scale },
			func(p paper.FinishedRuns) string { return p.Data.Name },
			func(p paper.FinishedRuns) string { return run.Short(p.Results[0].ID) },
		} {
			seen := map[string]bool{}
			for _, i := range same {
				seen[more(rows[i])] = true
			}
			if len(seen) < len(same) || seen[""] {
				continue
			}
			for _, i := range same {
				rows[i].Name += ", " + more(rows[i])
			}
			break
		}
	}
}

// RunsFileName is a name for the files of a report that [Store.Compare] made, in that view, without an ending: another one for other runs.
func (r *Report) RunsFileName(v View) string {
	var ids []string
	for _, row := range r.Rows {
		for _, result := range row.Results {
			ids = append(ids, run.Short(result.ID))
		}
	}
	const most = 6 // whose names fit a file's
	if len(ids) > most {
		sum := sha256.Sum256([]byte(strings.Join(ids, "+")))
		ids = append(ids[:most], fmt.Sprintf("%d-more-%s", len(ids)-most, hex.EncodeToString(sum[:4])))
	}
	return paper.SafeName(append([]string{"runs-" + strings.Join(ids, "-")}, v.Suffix()...)...)
}
