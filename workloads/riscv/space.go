package riscv

import "slices"

// Calls that change the address space.

// protection returns the state of mapped pages with the bits of mmap and mprotect. As on Linux for
// RISC-V, what may be written may be read.
func protection(bits uint64) state {
	s := mapped
	for i, allows := range []state{readable, readable | writable, executable} {
		if bits>>i&1 != 0 {
			s |= allows
		}
	}
	return s
}

// breakAt moves the end of the heap, or tells where it is.
func (m *Machine) breakAt(address uint64) uint64 {
	if address < m.program.end || address > heapLimit {
		return m.heap
	}
	old, end := pagesFor(m.heap), pagesFor(address)
	switch {
	case end <= old:
		m.memory.unmap(end, old)
	case !m.memory.isFree(old, end):
		return m.heap
	default:
		m.memory.set(old, end, protection(3))
	}
	m.heap = address
	return address
}

// pagesFor returns how many pages so many bytes take.
func pagesFor(bytes uint64) uint64 { return bytes>>pageBits + (bytes%pageBytes+pageBytes-1)>>pageBits }

// pageRange returns the pages of a range that begins with one. It returns false if it does not, or
// if the range is larger than all addresses.
func pageRange(address, bytes uint64) (first, end uint64, ok bool) {
	first = address >> pageBits
	end = first + pagesFor(bytes)
	return first, end, address%pageBytes == 0 && end <= 1<<(64-pageBits)
}

// munmap takes pages away.
func (m *Machine) munmap(address, bytes uint64) uint64 {
	first, end, ok := pageRange(address, bytes)
	if !ok || bytes == 0 || end > spacePages {
		return errno(badArgument)
	}
	m.memory.unmap(first, end)
	return 0
}

// mprotect says what the program may do with mapped pages, up to the first that is not.
func (m *Machine) mprotect(address, bytes, bits uint64) uint64 {
	const known = 15 // with one for semaphores, which means nothing
	first, end, ok := pageRange(address, bytes)
	switch {
	case address%pageBytes != 0 || bits&^known != 0:
		return errno(badArgument)
	case !ok:
		return errno(noMemory)
	}
	allows := protection(bits)
	for i := first; i < end; i++ {
		if i >= spacePages || m.memory.states[i] == unmapped {
			return errno(noMemory)
		}
		s := &m.memory.states[i]
		if file := backed | shared; *s&file == file && allows&writable != 0 {
			return errno(noAccess)
		}
		if *s&outside == 0 {
			*s = *s&^allowed | allows
		}
	}
	return 0
}

// Flags of mmap.
const (
	mapShared    = 1
	mapPrivate   = 2
	mapValidated = 3 // shared, of a file
	mapKind      = 15
	mapFixed     = 0x10
	mapAnonymous = 0x20
	mapHuge      = 0x40000
	mapNoReplace = 0x100000
)

// mmap maps memory, or copies a file.
func (m *Machine) mmap(a [6]uint64) uint64 {
	bytes, flags, pages, s := a[1], a[3], pagesFor(a[1]), protection(a[2])
	kind, f := flags&mapKind, (*file)(nil)
	if flags&mapAnonymous == 0 {
		f = m.files[a[4]]
	}
	switch anonymous := flags&mapAnonymous != 0; {
	case a[5]%pageBytes != 0:
		return errno(badArgument)
	case !anonymous && f == nil:
		return errno(badFile)
	case bytes == 0 || kind != mapPrivate && kind != mapShared && (anonymous || kind != mapValidated):
		return errno(badArgument)
	case pages > spacePages || flags&mapHuge != 0: // without huge pages in store
		return errno(noMemory)
	case !anonymous && !f.mode.IsRegular():
		return errno(noDevice)
	case !anonymous && kind != mapPrivate && s&writable != 0:
		return errno(noAccess)
	}
	first, failed := m.place(a[0], pages, flags)
	if failed != 0 {
		return errno(failed)
	}
	if kind != mapPrivate {
		s |= shared
	}
	m.memory.unmap(first, first+pages) // what was there is gone
	m.memory.set(first, first+pages, s)
	if f != nil {
		m.mapFile(mapping{first, first + pages, f.node, a[5]}, s)
	}
	return first << pageBits
}

// place finds pages for a mapping, or takes those that the program wants. It returns an error of
// Linux if that is not possible.
func (m *Machine) place(address, pages, flags uint64) (first uint64, failed int64) {
	if flags&(mapFixed|mapNoReplace) == 0 {
		first, ok := m.memory.free(pages, mapsTop>>pageBits)
		if !ok || first < heapLimit>>pageBits {
			return 0, noMemory
		}
		return first, 0
	}
	first, end, ok := pageRange(address, pages<<pageBits)
	switch {
	case address%pageBytes != 0:
		return 0, badArgument
	case !ok || end > spacePages:
		return 0, noMemory
	case address < lowest:
		return 0, notPermitted
	case flags&mapNoReplace != 0 && !m.memory.isFree(first, end):
		return 0, exists
	}
	return first, 0
}

// mapFile fills mapped pages from a file. Pages behind its end cannot be used.
func (m *Machine) mapFile(p mapping, s state) {
	inside := p.First
	if p.offset < p.file.size {
		inside = min(p.End, p.First+pagesFor(p.file.size-p.offset))
	}
	m.memory.mappings = append(m.memory.mappings, p)
	m.memory.set(p.First, inside, s|backed)
	m.memory.set(inside, p.End, s&^allowed|backed|outside)
	m.load(p, p.First, inside)
}

// load gives pages of a mapping their first contents.
func (m *Machine) load(p mapping, first, end uint64) {
	const most = 256
	for ; first < end && m.fault == nil; first += most {
		n := min(most, end-first)
		content := make([]byte, n<<pageBits)
		m.readNode(p.file, content, p.offset+(first-p.First)<<pageBits)
		for i := range n {
			m.memory.put(first+i, (*[pageBytes]byte)(content[i<<pageBits:]))
		}
	}
}

// refill gives a backed page its first contents again.
func (m *Machine) refill(n uint64) {
	i := slices.IndexFunc(m.memory.mappings, func(p mapping) bool { return p.First <= n && n < p.End })
	if p := m.memory.mappings[i]; p.file != nil {
		m.load(p, n, n+1)
	} else if first := m.program.image.pages[n]; first != nil {
		m.memory.put(n, &first.data)
	}
}

// mremap makes a mapping shorter. There is no memory for a longer one.
func (m *Machine) mremap(a [6]uint64) uint64 {
	const mayMove, fixed, known = 1, 2, 7
	first, end, ok := pageRange(a[0], a[1])
	left := first + pagesFor(a[2])
	switch {
	case a[0]%pageBytes != 0 || a[2] == 0 || a[1] == 0 || a[3]&^known != 0 || a[3]&(fixed|mayMove) == fixed:
		return errno(badArgument)
	case !ok || end > spacePages || m.memory.states[first] == unmapped:
		return errno(badAddress)
	case left > end || a[3]&fixed != 0:
		return errno(noMemory)
	}
	m.memory.unmap(left, end)
	return a[0]
}

// What madvise can be told.
const (
	adviseDrop      = 4 // MADV_DONTNEED
	adviseFree      = 8
	adviseRemove    = 9
	adviseWipe      = 18 // in processes that this one starts
	advisePopulate  = 22 // for reading
	advisePopulateW = 23
	adviseDropAll   = 24 // locked pages too
	adviseLast      = 25
)

// madvise drops pages, which then have their first contents again. Other advice changes nothing.
func (m *Machine) madvise(address, bytes, advice uint64) uint64 {
	first, end, ok := pageRange(address, bytes)
	if !ok || advice > adviseLast || advice > adviseDrop && advice < adviseFree {
		return errno(badArgument)
	}
	missing := false
	for i := first; i < end; i++ {
		if i >= spacePages {
			return errno(noMemory)
		}
		switch s := m.memory.states[i]; {
		case s == unmapped && (advice == advisePopulate || advice == advisePopulateW):
			return errno(noMemory)
		case s == unmapped:
			missing = true
		default:
			if failed := m.advise(i, s, advice); failed != 0 {
				return errno(failed)
			}
		}
	}
	if missing {
		return errno(noMemory)
	}
	return 0
}

// advise takes advice about a mapped page, or returns an error of Linux.
func (m *Machine) advise(n uint64, s state, advice uint64) (failed int64) {
	drops := false
	switch advice {
	case adviseDrop, adviseDropAll:
		drops = s&shared == 0
	case adviseFree, adviseWipe: // the contents of pages that are freed may stay
		if s&(backed|shared) != 0 {
			return badArgument
		}
	case adviseRemove:
		switch {
		case s&(backed|shared) == 0:
			return badArgument
		case s&shared == 0 || s&writable == 0:
			return noAccess
		}
		drops = true
	case advisePopulate, advisePopulateW:
		switch {
		case s&outside != 0:
			return badAddress
		case s&readable == 0 || advice == advisePopulateW && s&writable == 0:
			return badArgument
		}
	}
	if drops && m.memory.pages[n] != nil {
		m.memory.pages[n] = nil
		if s&backed != 0 {
			m.refill(n)
		}
	}
	return 0
}
