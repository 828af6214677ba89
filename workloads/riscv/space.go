package riscv

// Calls that change the address space.

// protection returns what bits of mmap and mprotect allow.
func protection(bits uint64) access {
	switch {
	case bits&2 != 0:
		return writable
	case bits&5 != 0:
		return readable
	}
	return guarded
}

// breakAt moves the end of the heap, or tells where it is.
func (m *Machine) breakAt(address uint64) uint64 {
	if address < m.program.end || address > heapLimit {
		return m.heap
	}
	old, end := pagesFor(m.heap), pagesFor(address)
	if end > old {
		m.memory.protect(old, end-old, writable)
	} else {
		m.memory.protect(end, old-end, unmapped)
	}
	m.heap = address
	return address
}

// pagesFor returns how many pages so many bytes take.
func pagesFor(bytes uint64) uint64 { return (bytes + pageBytes - 1) >> pageBits }

// protect answers mprotect and munmap.
func (m *Machine) protect(address, bytes uint64, a access) uint64 {
	if address%pageBytes != 0 || bytes > 1<<spaceBits || address>>pageBits+pagesFor(bytes) > spacePages {
		return errno(badArgument)
	}
	m.memory.protect(address>>pageBits, pagesFor(bytes), a)
	return 0
}

// mmap maps memory, or copies a file.
func (m *Machine) mmap(a [6]uint64) uint64 {
	const fixed, anonymous = 0x10, 0x20
	address, bytes, flags := a[0], a[1], a[3]
	if bytes == 0 || bytes > 1<<spaceBits {
		return errno(badArgument)
	}
	first, pages := address>>pageBits, pagesFor(bytes)
	if flags&fixed == 0 || first+pages > spacePages || address%pageBytes != 0 {
		var ok bool
		if first, ok = m.memory.free(pages, mapsTop>>pageBits); !ok || flags&fixed != 0 || first < heapLimit>>pageBits {
			return errno(noMemory)
		}
	}
	m.memory.protect(first, pages, unmapped) // what was there is gone
	m.memory.protect(first, pages, writable)
	if flags&anonymous == 0 {
		f := m.files[a[4]]
		if f == nil {
			return errno(badFile)
		}
		if at := a[5]; at < uint64(len(f.content)) {
			m.memory.copyIn(first<<pageBits, f.content[at:min(uint64(len(f.content)), at+bytes)])
		}
	}
	m.memory.protect(first, pages, protection(a[2]))
	return first << pageBits
}
