package plan

import "vlpx.internal/vlpx/eval"

// Complexity asks the frozen model that judges a row's negatives for its ITM scores by how much captions say (FALCON, Figure 2, right).
// Rows that ask no such model have nothing of it.
var Complexity = Downstream{Name: "complexity", jobs: func(t trained) ([]Job, error) {
	var all []Job
	for _, r := range t.own {
		if r.Reference == nil {
			return nil, nil
		}
		all = append(all, Job{Run: *r.Reference, Task: eval.Complexity{}})
	}
	return all, nil
}}
