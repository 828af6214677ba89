package traces

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
)

// Digest identifies a source by what it holds, in hexadecimal digits of SHA-256, and counts its records.
// Of a file it reads all windows, with what they know of the caches. It ends early when ctx is done, unless the source is short.
func Digest(ctx context.Context, source Source) (digest string, records uint64, err error) {
	h := sha256.New()
	f, ok := source.(*File)
	if !ok {
		records, err = digestSource(ctx, h, source)
		return hex.EncodeToString(h.Sum(nil)), records, err
	}
	for window := range f.Windows() {
		one, err := f.Window(window)
		if err != nil {
			return "", 0, err
		}
		n, err := digestSource(ctx, h, one)
		if err == nil {
			err = digestTimestamps(h, one)
		}
		if lead, measured := one.Measured(); measured > 0 {
			h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lead), measured))
		}
		if err = errors.Join(err, one.Close()); err != nil {
			return "", 0, err
		}
		records += n
	}
	return hex.EncodeToString(h.Sum(nil)), records, nil
}

// shortRecords are read in any case, so that an interrupted study can say what it has not measured.
const shortRecords = 1 << 20

func digestTimestamps(h hash.Hash, f *File) error {
	t, _, err := f.ReadTimestamps()
	if err != nil || t == nil {
		return err
	}
	var bytes []byte
	for _, e := range t.Entries {
		bytes = binary.LittleEndian.AppendUint32(bytes, e.Block)
		bytes = binary.LittleEndian.AppendUint16(bytes, e.Cache)
		bytes = append(bytes, byte(e.Flags))
	}
	for _, d := range t.Depths {
		bytes = binary.LittleEndian.AppendUint32(bytes, d.Entry)
		bytes = append(bytes, d.Sets, d.Ways)
	}
	h.Write(bytes)
	return nil
}

// digestSource adds the records and edges of a source to a digest, and counts its records.
func digestSource(ctx context.Context, h hash.Hash, source Source) (uint64, error) {
	total := uint64(0)
	for core := range source.Cores() {
		n, err := digestAs(ctx, h, core, source.ReadRecords, func(bytes []byte, r *Record) []byte {
			bytes = binary.LittleEndian.AppendUint64(bytes, r.Address)
			bytes = binary.LittleEndian.AppendUint32(bytes, r.Instructions)
			bytes = binary.LittleEndian.AppendUint16(bytes, r.Dependence)
			bytes = binary.LittleEndian.AppendUint16(bytes, r.Count)
			return append(bytes, r.Size, byte(r.Kind))
		})
		if err == nil {
			_, err = digestAs(ctx, h, core, source.ReadEdges, func(bytes []byte, e *Edge) []byte {
				bytes = binary.LittleEndian.AppendUint64(bytes, e.At)
				bytes = binary.LittleEndian.AppendUint64(bytes, e.Position)
				return binary.LittleEndian.AppendUint16(bytes, e.Producer)
			})
		}
		if err != nil {
			return 0, err
		}
		total += n
	}
	if t, ok := source.(Ticketed); ok {
		if own, ok := t.Tickets(); ok {
			return total, binary.Write(h, binary.LittleEndian, slices.Concat(own...))
		}
	}
	return total, nil
}

// digestAs adds what can be read of a core to a digest, each as bytes, and counts it.
func digestAs[T any](ctx context.Context, h hash.Hash, core int, read func(core int, into []T) (int, error), add func(bytes []byte, one *T) []byte) (total uint64, err error) {
	var bytes []byte
	err = copyStream(func(_ int, list []T) error {
		bytes = bytes[:0]
		for i := range list {
			bytes = add(bytes, &list[i])
		}
		h.Write(bytes)
		if total += uint64(len(list)); total > shortRecords {
			return ctx.Err()
		}
		return nil
	}, read, core, make([]T, 1024))
	return total, err
}
