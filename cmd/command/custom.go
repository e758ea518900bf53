package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// The name of the program, and the methods that it has besides the registered ones.
var (
	calledAs = "vlpx"
	methods  []negative.Method
)

// take makes a program's own known by name.
func take(own []any) error {
	if len(own) > 0 {
		calledAs = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	for _, o := range own {
		switch o := o.(type) {
		case negative.Method:
			methods = append(methods, o)
		case plan.Framework:
			plan.Register(o)
			framework.Register(o.Build(scale.Scales()[0].Resolved(), 1))
		case eval.Task:
			eval.RegisterTask(strings.ToLower(negative.TypeName(o)), o)
		case nil:
			return fmt.Errorf("vlpx.Main was given nil; give it methods, parts of methods, frameworks and tasks")
		default:
			if err := negative.RegisterPart(o); err != nil {
				return fmt.Errorf("vlpx.Main: %w", err)
			}
		}
	}
	return nil
}
