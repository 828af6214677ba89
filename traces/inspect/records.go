package inspect

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// placedRecord is a record with its place and the records of other cores that it waits for.
type placedRecord struct {
	Core         int           `json:"core"`
	Position     uint64        `json:"position"`
	Instructions uint32        `json:"instructions"`
	Kind         string        `json:"kind"` // of a lock or barrier also how cores wait
	Address      uint64        `json:"address"`
	Bytes        uint64        `json:"bytes"` // of an access
	Dependence   uint16        `json:"dependence"`
	Count        uint16        `json:"count"`
	WaitsFor     []placedAfter `json:"waits_for,omitempty"`
}

type placedAfter struct {
	Core     uint16 `json:"core"`
	Position uint64 `json:"position"`
}

// Part chooses records of a core, or of all cores if Core is -1.
type Part struct {
	Core int
	traces.Range
}

// WriteCSV writes the chosen records of a trace as CSV, a line for each.
func WriteCSV(out io.Writer, file *traces.File, c Part) error {
	if _, err := fmt.Fprintln(out, "core,position,instructions,kind,address,bytes,dependence,count,waits_for"); err != nil {
		return err
	}
	return eachRecord(file, c, func(r placedRecord) error {
		waits := ""
		for i, w := range r.WaitsFor {
			if i > 0 {
				waits += " "
			}
			waits += fmt.Sprintf("%d:%d", w.Core, w.Position)
		}
		_, err := fmt.Fprintf(out, "%d,%d,%d,%s,%#x,%d,%d,%d,%s\n", r.Core, r.Position, r.Instructions, r.Kind,
			r.Address, r.Bytes, r.Dependence, r.Count, waits)
		return err
	})
}

// WriteJSON writes metadata and chosen records of a trace as one document, without holding it in
// memory.
func WriteJSON(out io.Writer, file *traces.File, c Part) error {
	metadata, _ := json.Marshal(file.Metadata().Alone()) // texts and numbers, as in records
	fmt.Fprintf(out, "{\"metadata\":%s,\n\"records\":[", metadata)
	separator := "\n"
	err := eachRecord(file, c, func(r placedRecord) error {
		text, _ := json.Marshal(r)
		_, err := fmt.Fprintf(out, "%s%s", separator, text)
		separator = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "\n]}")
	return err
}

// eachRecord visits the chosen records of a trace, core by core.
func eachRecord(file *traces.File, c Part, visit func(placedRecord) error) error {
	for core := range file.Cores() {
		if c.Core >= 0 && c.Core != core {
			continue
		}
		err := c.Each(file, core, func(position, _ uint64, r *traces.Record, after []traces.Edge) error {
			p := placedRecord{Core: core, Position: position, Instructions: r.Instructions, Kind: r.Kind.String(),
				Address: r.Address, Dependence: r.Dependence, Count: r.Count}
			for _, e := range after {
				p.WaitsFor = append(p.WaitsFor, placedAfter{e.Producer, e.Position})
			}
			if r.Kind.IsAccess() {
				p.Bytes = 1 << r.Size
			} else if way := traces.WaitNames[r.Size&traces.Waits]; way != "" {
				p.Kind += " " + way
			}
			return visit(p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
