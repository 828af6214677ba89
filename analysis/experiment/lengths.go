package experiment

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	chip "github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
)

// BuildNetwork builds a network for the messages of a chip, whose lengths follow from the width of the
// links, or tells why the network cannot carry them.
func BuildNetwork(m models.Model, o models.Options, c *chip.Config) (noc.Network, error) {
	classes := [noc.MaxClasses]int{}
	p, err := chip.LookupProtocol(c.Protocol, c.More...)
	if err == nil && p.ClassBytes != nil {
		classes = p.ClassBytes()
	}
	network, err := buildFor(m, o, c, classes)
	if err != nil {
		return nil, err
	}
	further := chip.FurtherBytes(c, network)
	if further == 0 {
		return network, nil
	}
	bits := network.Hardware().PhitBits
	noc.Close(network)
	if err := checkSpread(m, o, further, bits); err != nil {
		return nil, err
	}
	for class, bytes := range classes {
		if bytes > 0 && (p.Spreads == nil || p.Spreads(noc.Class(class))) {
			classes[class] = max(bytes, coherence.CommandBytes+further)
		}
	}
	return buildFor(m, o, c, classes)
}

// checkSpread reports whether packets of a network may be as long as messages to several nodes, whose headers
// have further bytes.
func checkSpread(m models.Model, o models.Options, further, bits int) error {
	if m.MaxPhits == nil {
		return nil
	}
	need := noc.PhitsOf(coherence.CommandBytes+further, bits)
	longest, size := m.MaxPhits(o)
	if need <= longest {
		return nil
	}
	fix := "set chip.free_destination_sets=true"
	if size != "" && (m.MostPhits == 0 || need <= m.MostPhits) {
		fix = fmt.Sprintf("set network.%s=%d or chip.free_destination_sets=true", size, need)
	}
	return fmt.Errorf("a message to several nodes has %d phits, because its header has a bit for each node, and packets have at most %d; %s", need, longest, fix)
}

// buildFor builds a network for classes of messages of some lengths.
func buildFor(m models.Model, o models.Options, c *chip.Config, classes [noc.MaxClasses]int) (noc.Network, error) {
	if m.Width == nil || m.MaxPhits == nil {
		return buildForWidth(m, o, c, classes, usualBits)
	}
	if bits, key := m.Width(o); bits > 0 {
		if err := checkLengths(m, o, bits, key); err != nil {
			return nil, err
		}
		o.ClassPhits = classPhits(classes, bits)
	}
	return m.Build(o)
}

// usualBits is the width of links that is tried first where only the network knows it.
const usualBits = 128

// buildForWidth builds a network that says itself how wide its links are. It is built again if the lengths of
// messages were those for another width.
func buildForWidth(m models.Model, o models.Options, c *chip.Config, classes [noc.MaxClasses]int, tried int) (noc.Network, error) {
	o.ClassPhits = classPhits(classes, tried)
	network, err := m.Build(o)
	if err != nil {
		return nil, err
	}
	if bits := network.Hardware().PhitBits; bits < 1 {
		err = fmt.Errorf("the network says that its links have %d bits; Hardware must return their width", bits)
	} else if err = cmp.Or(checkLengths(m, o, bits, ""), checkFinite(network, c)); err == nil && tried == usualBits && classPhits(classes, bits) != o.ClassPhits {
		noc.Close(network)
		return buildForWidth(m, o, c, classes, bits)
	}
	if err != nil {
		noc.Close(network)
		return nil, err
	}
	return network, nil
}

// classPhits returns the length of the longest message of each class on links of a width.
func classPhits(classes [noc.MaxClasses]int, bits int) (phits [noc.MaxClasses]int) {
	for class, bytes := range classes {
		phits[class] = noc.PhitsOf(bytes, bits)
	}
	return phits
}

// checkFinite reports whether a network that is a program may have the sinks of finite size of a chip.
func checkFinite(network noc.Network, c *chip.Config) error {
	if n, says := network.(interface{ FiniteSinks() bool }); says && !n.FiniteSinks() && c.InterfaceSlots > 0 {
		return fmt.Errorf("chip.interface_slots is %d, but the program does not say that it keeps classes apart, so sinks of finite size may deadlock; use 0", c.InterfaceSlots)
	}
	return nil
}

// CheckPrices reports whether the events of a router have prices.
func CheckPrices(router string, network noc.Network, prices power.Config) error {
	h := network.Hardware()
	if h.Uncounted {
		return nil
	}
	if _, err := power.NewRouter(h, prices); err != nil {
		return fmt.Errorf("router %s: %w", router, err)
	}
	return nil
}

// checkLengths reports whether a network takes messages with a block on links of a width, which a key
// sets if there is one.
func checkLengths(m models.Model, o models.Options, bits int, key string) error {
	_, data := chip.MessagePhits(bits)
	longest, size := m.MaxPhits(o)
	width := fmt.Sprintf("links of %d bits", bits)
	if key != "" {
		width = fmt.Sprintf("network.%s=%d", key, bits)
	}
	what := fmt.Sprintf("a block and its header have %d phits with %s", data, width)
	switch {
	case m.MostPhits > 0 && data > m.MostPhits:
		for data > m.MostPhits {
			bits++
			_, data = chip.MessagePhits(bits)
		}
		return fmt.Errorf("%s, and at most %d are possible; use links of %d bits or more", what, m.MostPhits, bits)
	case data <= longest:
		return nil
	case size == "":
		return fmt.Errorf("%s, but packets have at most %d; use wider links", what, longest)
	}
	return fmt.Errorf("network.%s is %d, but %s; use %d or more", size, longest, what, data)
}

// LongCommands says how long commands to several nodes are on a network if headers with a bit for each node make
// them longer than others; "" else.
func LongCommands(c *chip.Config, n noc.Network) string {
	bits := n.Hardware().PhitBits
	usual, long := noc.PhitsOf(coherence.CommandBytes, bits), noc.PhitsOf(coherence.CommandBytes+chip.FurtherBytes(c, n), bits)
	if usual == long {
		return ""
	}
	return fmt.Sprintf("commands to several nodes of %d phits, because headers have a bit for each node (%d with chip.free_destination_sets=true)", long, usual)
}

// rulesOf returns the rules of a router, and the lengths of messages if they are not those on links of
// the usual width.
func (s *Study) rulesOf(m models.Model) string {
	rules, bits := m.RulesOf(s.Network), 0
	if m.Width != nil {
		bits, _ = m.Width(s.Network)
	}
	if bits < 1 {
		return rules
	}
	command, data := chip.MessagePhits(bits)
	if command == 1 && data == 5 {
		return rules
	}
	if rules != "" {
		rules += ", "
	}
	return rules + fmt.Sprintf("messages of %d and %d phits", command, data)
}
