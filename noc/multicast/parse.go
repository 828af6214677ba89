package multicast

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc"
)

// ParseThousandths reads a number with up to three decimals as thousandths, so that no binary
// fraction decides anything.
func ParseThousandths(text string) (int, error) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) <= 3 && whole+part != "" && !strings.ContainsAny(text, "+-") {
		if n, err := strconv.Atoi(whole + part + "000"[len(part):]); err == nil {
			return n, nil
		}
	}
	return 0, errors.New("write a number from 0 on with up to three decimals, such as 0.5")
}

// ParseNodes reads nodes of a network that has so many: numbers and ranges, such as 1,5,8-11, or
// all.
func ParseNodes(text string, nodes int) (list []noc.NodeID, err error) {
	if strings.TrimSpace(text) == "all" {
		text = fmt.Sprintf("0-%d", nodes-1)
	}
	for word := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(word), "-")
		if !isRange {
			to = from
		}
		first, err := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || first > last {
			return nil, fmt.Errorf("%q is not a node or a range of nodes, such as 5 or 8-11", word)
		}
		if last >= nodes {
			return nil, fmt.Errorf("node %d does not exist; the network has nodes 0 to %d", last, nodes-1)
		}
		for d := first; d <= last; d++ {
			list = append(list, noc.NodeID(d))
		}
	}
	return list, nil
}
