package vlpx

import "vlpx.internal/vlpx/lab"

// What calls take and return.
type (
	// Options say what to run, and of what; the zero value is the default scale on generated scenes.
	Options = lab.Options
	// View is a choice of what a report's table and figure show, and how large the figure is.
	View = lab.View
	// Report is an artifact with its results.
	Report = lab.Report
	// Sweeping says where the tasks of a sweep are worked at.
	Sweeping = lab.Sweeping
	// Speed says what Benchmark measures; the zero value is all of InfoNCE.
	Speed = lab.Speed
	// Auditing says what Audit looks for; the zero value is the usual.
	Auditing = lab.Auditing
	// Mapping says what Map estimates by; the zero value is the usual.
	Mapping = lab.Mapping
	// RunFilter says which runs to list; the zero value lists all.
	RunFilter = lab.RunFilter
	// Removal says which runs to remove.
	Removal = lab.Removal
	// Pruning says what to prune.
	Pruning = lab.Pruning
)
