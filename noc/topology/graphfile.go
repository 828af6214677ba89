package topology

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// maxGraphLine is the longest line of a graph file, in bytes; a line of labels is the longest.
const maxGraphLine = 1 << 20

// ReadGraph reads a graph file: one statement per line, empty lines and what follows # ignored.
//
//	switches 5             # numbered 0 to 4; comes first
//	link 0 1               # a channel in both directions
//	processors 0 0 3       # the switch of each processor; may be repeated to add more
//	root 4                 # of the tree for up*/down* routing; 0 unless given
//	labels 0 4 1 2 3       # position of each switch on a Hamiltonian path, for label-ordered schemes
//
// Without processors every switch has one of its own. Errors name the file and the line.
func ReadGraph(name string, r io.Reader) (Graph, error) {
	g := Graph{Name: "graph:" + name}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxGraphLine)
	line := 0
	for scanner.Scan() {
		line++
		text, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := g.statement(words[0], words[1:]); err != nil {
			return Graph{}, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return Graph{}, fmt.Errorf("%s: line %d: %w", name, line+1, err)
	}
	if g.Switches == 0 {
		return Graph{}, fmt.Errorf("%s: there is no line with switches, such as: switches 5", name)
	}
	if err := g.Validate(); err != nil {
		return Graph{}, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// statement takes one line of a graph file.
func (g *Graph) statement(word string, rest []string) error {
	numbers, err := wholeNumbers(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	wanted := map[string]int{"switches": 1, "link": 2, "root": 1}[word]
	if wanted > 0 && len(numbers) != wanted {
		return fmt.Errorf("%s takes %d numbers, but there are %d", word, wanted, len(numbers))
	}
	if word != "switches" && g.Switches == 0 {
		return fmt.Errorf("%s comes before the line with the number of switches", word)
	}
	before := *g
	switch word {
	case "switches":
		if g.Switches > 0 {
			return fmt.Errorf("the number of switches is given again")
		}
		if g.Switches = numbers[0]; g.Switches < 1 || g.Switches > MaxNodes {
			return fmt.Errorf("%d switches; 1 to %d are allowed", g.Switches, MaxNodes)
		}
	case "link":
		g.Links = append(g.Links, [2]int{numbers[0], numbers[1]})
	case "processors":
		g.Processors = append(g.Processors, numbers...)
	case "root":
		g.Root = numbers[0]
	case "labels":
		g.Labels = numbers
	default:
		return fmt.Errorf("%q is not one of switches, link, processors, root, labels", word)
	}
	return g.checkNew(before)
}

// checkNew refuses switches that do not exist in what a line has added, so that the line can be
// named.
func (g *Graph) checkNew(before Graph) error {
	added := []int{g.Root}
	if n := len(before.Links); len(g.Links) > n {
		if added = g.Links[n][:]; g.Links[n][0] == g.Links[n][1] {
			return fmt.Errorf("link joins switch %d to itself", g.Links[n][0])
		}
	}
	added = append(added, g.Processors[len(before.Processors):]...)
	for _, s := range added {
		if s >= g.Switches {
			return fmt.Errorf("switch %d: switches are 0 to %d", s, g.Switches-1)
		}
	}
	return nil
}
