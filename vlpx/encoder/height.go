package encoder

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ofLayer finds the stack of layers, and the number in it, in the path of a variable.
var ofLayer = regexp.MustCompile(`^(.*)/layer_(\d+)/`)

// OfLayer reports whether a variable is of a transformer's layer, by its path.
func OfLayer(path string) bool { return ofLayer.MatchString(path) && !strings.Contains(path, "/stage") }

// behind are the scopes of a stack that lie behind all of its layers.
var behind = []string{"norm", "mlm", "corrected", "pooler"}

// Heights are how far variables lie below the outputs of their stacks of a transformer's layers, by their paths: 1 in the last layer, one
// more in each layer before it and in what is before the first, such as patches, words and positions. What lies behind a stack, or in none,
// is at 0. A ResNet, which has no such stack, and paths without any are errors.
func Heights(paths []string) (map[string]int, error) {
	layers := map[string]int{} // by stack
	for _, path := range paths {
		of := ofLayer.FindStringSubmatch(path)
		if of == nil {
			continue
		}
		if !OfLayer(path) {
			return nil, fmt.Errorf("encoder: %s is of a ResNet, which is no stack of a transformer's layers", path)
		}
		number, err := strconv.Atoi(of[2])
		if err != nil {
			return nil, fmt.Errorf("encoder: %s: %w", path, err)
		}
		layers[of[1]] = max(layers[of[1]], number+1)
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("encoder: none of %d variables is of a transformer's layer", len(paths))
	}
	heights := map[string]int{}
	for _, path := range paths {
		if of := ofLayer.FindStringSubmatch(path); of != nil {
			number, _ := strconv.Atoi(of[2])
			heights[path] = layers[of[1]] - number
			continue
		}
		for stack, n := range layers {
			rest, within := strings.CutPrefix(path, stack+"/")
			if scope, _, _ := strings.Cut(rest, "/"); within && !slices.Contains(behind, scope) {
				heights[path] = n + 1
			}
		}
	}
	return heights, nil
}
