package flat

import (
	"bufio"
	"io"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
)

// Export writes all that is left in a source.
func Export(to io.Writer, s traces.Source, m traces.Metadata) error {
	v, err := assemble.NewVirtual(s, m)
	if err != nil {
		return err
	}
	h := head{cores: s.Cores(), flags: flagVirtual | flagPhysical}
	if m.AddressSpaces > 1 {
		h.flags |= flagSeparate
	}
	out := bufio.NewWriterSize(to, 1<<16)
	b := appendHead(nil, h)
	for core := range s.Cores() {
		err := traces.Each(s, core, 0, func(_ uint64, r *traces.Record, after []traces.Edge) error {
			for _, e := range after {
				x := row{core: uint16(core), kind: kindEdge, virtual: e.Position, count: e.Producer}
				b = x.append(b)
			}
			x := row{core: uint16(core), kind: uint8(r.Kind), size: r.Size, gap: r.Instructions, virtual: r.Address, dependence: r.Dependence, count: r.Count}
			if r.Kind.IsAccess() {
				x.physical = r.Address
				if virtual, ok := v.Address(core, r.Address); ok {
					x.virtual = virtual
				} else {
					x.virtual = 0
				}
			}
			b = x.append(b)
			_, err := out.Write(b)
			b = b[:0]
			return err
		})
		if err != nil {
			return err
		}
	}
	if _, err := out.Write(b); err != nil {
		return err
	}
	return out.Flush()
}
