package routing

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// ReadTable reads a routing table, one route per line; what follows # is ignored:
//
//	route 0 5 1 2     # router 0 sends to node 5 by a channel to router 1, or to router 2 if 1 has none free
//	route 0 * 1       # and to all nodes that no other line names
//
// Several channels to a router are taken in the order of their ports.
func ReadTable(name string, r io.Reader, w *topology.Wiring) (*Named, error) {
	routes, others := map[[2]int][]int32{}, map[int][]int32{}
	scanner := bufio.NewScanner(r)
	for line := 1; scanner.Scan(); line++ {
		text, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		err := readRoute(words, w, routes, others)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n := &Named{Name: "table", Parts: 1, wiring: w, checked: []uint8{0}}
	n.candidates = func(at noc.NodeID, _ int32, node noc.NodeID, _ uint8, into []int32) []int32 {
		list, named := routes[[2]int{int(at), int(node)}]
		if !named {
			list = others[int(at)]
		}
		return append(into, list...)
	}
	return n, nil
}

// readRoute takes one line of a table.
func readRoute(words []string, w *topology.Wiring, routes map[[2]int][]int32, others map[int][]int32) error {
	if words[0] != "route" || len(words) < 4 {
		return fmt.Errorf("want route ROUTER NODE NEXT..., such as route 0 5 1")
	}
	var numbers []int
	for i, word := range words[1:] {
		limit, what := w.Routers, "router"
		if i == 1 {
			limit, what = w.Nodes(), "node"
		}
		n, err := strconv.Atoi(word)
		if i == 1 && word == "*" {
			n, err = -1, nil
		} else if err != nil || n < 0 || n >= limit {
			return fmt.Errorf("%q is no %s of %s, which are 0 to %d", word, what, w.Name, limit-1)
		}
		numbers = append(numbers, n)
	}
	at, node := numbers[0], numbers[1]
	var list []int32
	for _, next := range numbers[2:] {
		first := w.Channel(noc.NodeID(at), noc.NodeID(next))
		if first < 0 {
			return fmt.Errorf("no channel leads from router %d to router %d", at, next)
		}
		for c := first; c < len(w.Channels) && int(w.Channels[c].From) == at && int(w.Channels[c].To) == next; c++ {
			list = append(list, int32(c))
		}
	}
	known := others[at]
	if node >= 0 {
		known = routes[[2]int{at, node}]
	}
	if known != nil {
		return fmt.Errorf("the route from router %d to node %s is given twice; name all next routers on one line", at, words[2])
	}
	if node < 0 {
		others[at] = list
	} else {
		routes[[2]int{at, node}] = list
	}
	return nil
}
