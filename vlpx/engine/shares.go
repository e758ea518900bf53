package engine

// Shares shares processors out to processes beside each other; where there are more of these than of those, all may use all, and each share
// is empty.
func Shares(processes int, cpus []int) [][]int {
	shares := make([][]int, processes)
	if processes > len(cpus) {
		return shares
	}
	for k := range shares {
		shares[k] = cpus[k*len(cpus)/processes : (k+1)*len(cpus)/processes]
	}
	return shares
}
