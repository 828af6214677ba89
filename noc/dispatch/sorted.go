package dispatch

import "github.com/carousel-sim/carousel/noc"

// sorted puts a list of deliveries, which the sinks have ordered by cycle and node, into the order
// of [Interfaces.Deliveries].
func sorted(list []noc.Delivery) []noc.Delivery {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && before(&list[k], &list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	return list
}

func before(a, b *noc.Delivery) bool {
	switch {
	case a.Arrived != b.Arrived || a.At != b.At:
		return false
	case a.Src != b.Src:
		return a.Src < b.Src
	case a.Class != b.Class:
		return a.Class > b.Class
	}
	return a.Tag < b.Tag
}
