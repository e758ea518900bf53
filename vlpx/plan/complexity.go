package plan

import "vlpx.internal/vlpx/eval"

// Complexity asks the frozen model that judges a row's negatives for its ITM scores by how much captions say (FALCON, Figure 2, right).
// Rows that ask no such model have nothing of it.
var Complexity = Downstream{Name: "complexity", Jobs: func(t Trained) ([]Job, error) {
	var all []Job
	for _, r := range t.Own {
		if r.Reference == nil {
			return nil, nil
		}
		all = append(all, Job{Run: *r.Reference, Task: eval.Complexity{}})
	}
	return all, nil
}}
