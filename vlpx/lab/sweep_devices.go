package lab

import (
	"fmt"
	"slices"
	"strings"
)

// devices is how many devices a run of the sweep is divided among, at most.
func (s *Swept) devices() int {
	most := 1
	for _, g := range s.Grids {
		for _, r := range slices.Concat(g.Plan.Rows...) {
			most = max(most, r.Train.Devices)
		}
	}
	return most
}

// together puts GPUs together for workers that want so many each, as $CUDA_VISIBLE_DEVICES names them; some may be left over. An engine that has none
// tells by itself what it lacks.
func together(gpus []string, each int) ([]string, error) {
	if each < 2 || len(gpus) == 0 {
		return gpus, nil
	}
	if len(gpus) < each {
		return nil, fmt.Errorf("devices=%d, and there are %d GPUs here; set devices=%[2]d, or sweep where there are more", each, len(gpus))
	}
	var all []string
	for some := range slices.Chunk(gpus[:len(gpus)/each*each], each) {
		all = append(all, strings.Join(some, ","))
	}
	return all, nil
}
