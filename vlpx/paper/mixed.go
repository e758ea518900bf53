package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/run"
)

// mostNamed bounds the runs that a command names one by one.
const mostNamed = 12

// Mixed warns where the runs of this store are of several engines, which round differently, and says the command that mends it: it removes
// those of all engines but the one that most of them are of. It is empty where all are of one.
func (r *Report) Mixed() string {
	of := map[string][]string{} // runs by engine
	var engines []string
	for _, row := range r.Rows {
		for _, result := range row.Results {
			if result.Engine != "" && !slices.Contains(of[result.Engine], result.ID) {
				engines, of[result.Engine] = once(engines, result.Engine), append(of[result.Engine], result.ID)
			}
		}
	}
	if len(engines) < 2 {
		return ""
	}
	slices.Sort(engines) // pure Go first, which gives way
	slices.SortStableFunc(engines, func(a, b string) int { return len(of[a]) - len(of[b]) })
	fewer := engines[:len(engines)-1]
	var remove []string
	for _, engine := range fewer {
		if len(of[engine]) > mostNamed {
			remove = append(remove, fmt.Sprintf("vlpx rm -engine %s -scale %s -force -yes", engine, r.Scale))
			continue
		}
		var ids []string
		for _, id := range of[engine] {
			ids = append(ids, run.Short(id))
		}
		remove = append(remove, "vlpx rm -force "+strings.Join(ids, " "))
	}
	return fmt.Sprintf("ENGINES ARE MIXED: %d of the runs are of %s, the others of %s, which rounds differently, so that a difference may be "+
		"the engine's. To make them again on one engine: %s; then the same command as before.", count(of, fewer), strings.Join(fewer, " and "),
		engines[len(engines)-1], strings.Join(remove, "; "))
}

// count is how many runs are of some engines.
func count(of map[string][]string, engines []string) (n int) {
	for _, engine := range engines {
		n += len(of[engine])
	}
	return n
}

// mixedFirst is [Report.Mixed] as the beginning of a note.
func (r *Report) mixedFirst() string {
	if mixed := r.Mixed(); mixed != "" {
		return mixed + " "
	}
	return ""
}
