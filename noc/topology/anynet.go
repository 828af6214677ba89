package topology

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// ReadAnynet reads a network as BookSim2's topology anynet describes it. Each line names a router or a node, and
// what it is connected to, with the latency of the channel that leads there where it is not one cycle:
//
//	router 0 node 0 node 1 router 1 10 router 2 5
//	router 1 node 2 router 0 3
//	node 3 router 2
//
// A router that is named on one line is also connected back, by a channel of one cycle unless another line says
// otherwise. Routers and nodes may have any numbers, which are put in order and counted from 0. A node belongs to
// one router, by channels of one cycle.
func ReadAnynet(name string, r io.Reader) (Graph, error) {
	a := anynet{home: map[int]int{}, routers: map[int]bool{}, latency: map[[2]int]int{}}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxGraphLine)
	for line := 1; ; line++ {
		more := scanner.Scan()
		if err := scanner.Err(); err != nil {
			return Graph{}, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		if !more {
			break
		}
		if err := a.line(strings.Fields(scanner.Text())); err != nil {
			return Graph{}, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
	g, err := a.graph(name)
	if err == nil {
		err = g.Validate()
	}
	if err != nil {
		return Graph{}, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// anynet is what the lines of a file have said.
type anynet struct {
	home    map[int]int // router of each node
	routers map[int]bool
	latency map[[2]int]int // of each channel between routers; 0 where only the way back was named
}

// line takes one line of a file.
func (a *anynet) line(words []string) error {
	var head, kind string
	var first int
	for i := 0; i < len(words); {
		if kind = words[i]; kind != "router" && kind != "node" {
			return fmt.Errorf("%q is neither router nor node", kind)
		}
		if i+1 == len(words) {
			return fmt.Errorf("the line ends behind %q; a number must follow", kind)
		}
		id, err := strconv.Atoi(words[i+1])
		if err != nil || id < 0 {
			return fmt.Errorf("%q is not the number of a %s", words[i+1], kind)
		}
		if i += 2; head == "" {
			head, first = kind, id
			continue
		}
		cycles := 1
		if i < len(words) && words[i] != "router" && words[i] != "node" {
			if cycles, err = strconv.Atoi(words[i]); err != nil || cycles < 1 || cycles > MaxLinkCycles {
				return fmt.Errorf("%q is no latency; 1 to %d cycles are allowed", words[i], MaxLinkCycles)
			}
			i++
		}
		if err := a.connect(head, first, kind, id, cycles); err != nil {
			return err
		}
	}
	if head == "router" {
		a.routers[first] = true
	}
	return nil
}

// connect joins a line's head to what follows.
func (a *anynet) connect(head string, first int, kind string, id, cycles int) error {
	switch {
	case head == "router" && kind == "router" && first == id:
		return fmt.Errorf("router %d is connected to itself", id)
	case head == "router" && kind == "router":
		a.routers[first], a.routers[id] = true, true
		there, back := [2]int{first, id}, [2]int{id, first}
		if known := a.latency[there]; known > 0 && known != cycles {
			return fmt.Errorf("the channel from router %d to router %d has %d cycles and %d cycles", first, id, known, cycles)
		}
		a.latency[there] = cycles
		a.latency[back] = max(a.latency[back], 0) // makes it known
		return nil
	case head == kind:
		return fmt.Errorf("node %d is connected to node %d; connect it to a router", first, id)
	case cycles > 1:
		return fmt.Errorf("the channel between a router and a node has %d cycles; only 1 is supported", cycles)
	case head == "node":
		first, id = id, first
	}
	if other, known := a.home[id]; known && other != first {
		return fmt.Errorf("node %d is connected to the routers %d and %d; it needs one", id, other, first)
	}
	a.home[id], a.routers[first] = first, true
	return nil
}

// graph numbers routers and nodes from 0.
func (a *anynet) graph(name string) (Graph, error) {
	g := Graph{Name: "anynet:" + name, Switches: len(a.routers), Processors: []int{}}
	if len(a.home) < 2 {
		return g, fmt.Errorf("there are %d nodes; at least 2 are needed, such as: router 0 node 0 node 1", len(a.home))
	}
	number := map[int]int{}
	for i, r := range slices.Sorted(maps.Keys(a.routers)) {
		number[r] = i
	}
	for _, n := range slices.Sorted(maps.Keys(a.home)) {
		g.Processors = append(g.Processors, number[a.home[n]])
	}
	own := func(from, to int) *Link {
		if cycles := a.latency[[2]int{from, to}]; cycles > 1 {
			return &Link{Cycles: cycles}
		}
		return nil
	}
	for _, c := range slices.SortedFunc(maps.Keys(a.latency), func(x, y [2]int) int { return slices.Compare(x[:], y[:]) }) {
		if c[0] < c[1] {
			g.addLink(number[c[0]], number[c[1]], [2]*Link{own(c[0], c[1]), own(c[1], c[0])})
		}
	}
	return g, nil
}

func openAnynet(path string) (Layout, error) {
	content, err := wholefile.Read(path, wholefile.TextBytes)
	if err != nil {
		return Layout{}, fmt.Errorf("topology anynet:%s: %w", path, err)
	}
	g, err := ReadAnynet(path, strings.NewReader(string(content)))
	if err != nil {
		return Layout{}, err
	}
	return Layout{Wiring: g.Wiring(), Graph: &g}, nil
}
