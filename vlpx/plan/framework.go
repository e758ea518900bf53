package plan

import "vlpx.internal/vlpx/scale"

// Framework is a framework as plans know it. It stands in a package below the framework's folder, and framework/all registers it.
type Framework struct {
	scale.Kind
	// Stages are the downstream tasks that are its own. Papers name them; here they are for a request that leaves some out.
	Stages []Downstream
}

// stages are those of all frameworks.
var stages []Downstream

// Register adds frameworks to those that rows can be on, in the order in which they are listed. The first is the usual one.
func Register(all ...Framework) {
	for _, f := range all {
		scale.Register(f.Kind)
		stages = append(stages, f.Stages...)
	}
}
