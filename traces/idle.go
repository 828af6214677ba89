package traces

import "fmt"

// ActiveCores counts the cores that access memory.
func ActiveCores(totals []CoreTotals) (n int) {
	for _, t := range totals {
		if t.Accesses() > 0 {
			n++
		}
	}
	return n
}

// IdleNote warns when fewer than half of a trace's cores do anything, and else returns nothing.
func IdleNote(active, cores int) []string {
	switch {
	case active == 1 && cores > 1:
		return []string{fmt.Sprintf("only 1 of %d cores accesses memory, so the network carries the traffic of a single core", cores)}
	case 2*active < cores:
		return []string{fmt.Sprintf("only %d of %d cores access memory; the others do not use the network", active, cores)}
	}
	return nil
}
