package traces

import (
	"errors"
	"io"
)

// Copy writes all that is left in a source: records, edges, and pages when the source has a page map.
func Copy(w *Writer, s Source) error {
	records, edges := make([]Record, 1024), make([]Edge, 256)
	paged, hasPages := s.(Paged)
	for core := range s.Cores() {
		for {
			n, err := s.ReadRecords(core, records)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if n == 0 {
				break
			}
			if err := w.WriteRecords(core, records[:n]); err != nil {
				return err
			}
		}
		for {
			n, err := s.ReadEdges(core, edges)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if n == 0 {
				break
			}
			if err := w.WriteEdges(core, edges[:n]); err != nil {
				return err
			}
		}
		if !hasPages {
			continue
		}
		pages, err := paged.ReadPages(core)
		if err != nil {
			return err
		}
		if err := w.WritePages(core, pages); err != nil {
			return err
		}
	}
	return nil
}
