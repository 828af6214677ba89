package riscv

import "encoding/binary"

const (
	pageBytes  = 4096
	pageBits   = 12
	spaceBits  = 31 // of virtual and of physical addresses
	spacePages = 1 << (spaceBits - pageBits)
	pageMask   = spacePages - 1
)

// page is a page of memory with what its bytes mean as instructions.
type page struct {
	data     [pageBytes]byte
	readOnly bool
	code     []inst // by half of the offset; nil before something in it is executed
}

// memory is the address space of a program.
type memory struct {
	pages []*page // nil where nothing has been touched, or nothing is mapped
	// mapped has, per page, whether the program may touch it.
	mapped []access
}

// access is what a program may do with a page.
type access uint8

const (
	unmapped access = iota
	guarded         // mapped, and nothing is allowed
	readable
	writable
)

func newMemory() *memory {
	return &memory{pages: make([]*page, spacePages), mapped: make([]access, spacePages)}
}

// clone copies a memory.
func (m *memory) clone() *memory {
	c := newMemory()
	copy(c.mapped, m.mapped)
	for i, p := range m.pages {
		if p != nil {
			c.pages[i] = &page{data: p.data, readOnly: p.readOnly}
		}
	}
	return c
}

// protect says what a program may do with whole pages.
func (m *memory) protect(first, pages uint64, a access) {
	for i := first; i < first+pages; i++ {
		m.mapped[i] = a
		switch p := m.pages[i]; {
		case a == unmapped:
			m.pages[i] = nil
		case p != nil:
			p.readOnly = a != writable
		}
	}
}

// free finds so many pages that nothing is mapped to, the last ones below a page.
func (m *memory) free(pages, below uint64) (first uint64, ok bool) {
	found := uint64(0)
	for i := below; i > 0 && found < pages; i-- {
		if found++; m.mapped[i-1] != unmapped {
			found = 0
		}
		first = i - 1
	}
	return first, found == pages
}

// at returns the page of an address, or nil if the program may not touch it.
func (m *memory) at(address uint64) *page {
	n := address >> pageBits
	if n >= spacePages {
		return nil
	}
	if p := m.pages[n]; p != nil {
		return p
	}
	if m.mapped[n] < readable {
		return nil
	}
	p := &page{readOnly: m.mapped[n] != writable}
	m.pages[n] = p
	return p
}

// read reads 1 << size bytes.
func (m *memory) read(address uint64, size uint8) (uint64, bool) {
	p := m.at(address)
	at := address % pageBytes
	if p == nil {
		return 0, false
	}
	if at+1<<(size&3) > pageBytes {
		low, _ := m.read(address, size-1)
		high, ok := m.read(address+1<<(size-1), size-1)
		return low | high<<(8<<(size-1)), ok
	}
	switch b := p.data[at:]; size {
	case 0:
		return uint64(b[0]), true
	case 1:
		return uint64(binary.LittleEndian.Uint16(b)), true
	case 2:
		return uint64(binary.LittleEndian.Uint32(b)), true
	default:
		return binary.LittleEndian.Uint64(b), true
	}
}

// write writes the lowest 1 << size bytes of a number.
func (m *memory) write(address uint64, size uint8, v uint64) bool {
	p := m.at(address)
	at := address % pageBytes
	if p == nil || p.readOnly {
		return false
	}
	if at+1<<(size&3) > pageBytes {
		return m.write(address, size-1, v) && m.write(address+1<<(size-1), size-1, v>>(8<<(size-1)))
	}
	switch b := p.data[at:]; size {
	case 0:
		b[0] = byte(v)
	case 1:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 2:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
	return true
}

// copyOut reads bytes for a system call, and copyIn writes them; false tells that the program may
// not.
func (m *memory) copyOut(address, bytes uint64) ([]byte, bool) {
	if bytes > 1<<spaceBits {
		return nil, false
	}
	list := make([]byte, 0, bytes)
	for uint64(len(list)) < bytes {
		p := m.at(address)
		if p == nil {
			return nil, false
		}
		part := p.data[address%pageBytes:]
		part = part[:min(uint64(len(part)), bytes-uint64(len(list)))]
		list = append(list, part...)
		address += uint64(len(part))
	}
	return list, true
}

func (m *memory) copyIn(address uint64, bytes []byte) bool {
	for len(bytes) > 0 {
		p := m.at(address)
		if p == nil || p.readOnly {
			return false
		}
		n := copy(p.data[address%pageBytes:], bytes)
		bytes, address = bytes[n:], address+uint64(n)
	}
	return true
}

// text reads a string that ends with a zero byte.
func (m *memory) text(address uint64) (string, bool) {
	var list []byte
	for len(list) < pageBytes {
		v, ok := m.read(address, 0)
		if !ok {
			return "", false
		}
		if v == 0 {
			return string(list), true
		}
		list = append(list, byte(v))
		address++
	}
	return "", false
}

// instruction returns the decoded instruction at an address; nil where nothing is mapped.
func (m *memory) instruction(pc uint64) *inst {
	p := m.at(pc)
	if p == nil || pc&1 != 0 {
		return nil
	}
	if p.code == nil {
		p.code = make([]inst, pageBytes/2)
	}
	in := &p.code[pc%pageBytes/2]
	if in.bytes == 0 {
		*in = decode(m.bits(pc))
		if in.kind == load {
			behind := decode(m.bits(pc + uint64(in.bytes)))
			before, after := behind.orders()
			in.acquire = behind.kind == fence && before&fenceReads != 0 && after&fenceReads != 0
		}
	}
	return in
}

// bits reads the bits of an instruction, which may lie in two pages.
func (m *memory) bits(pc uint64) uint32 {
	low, _ := m.read(pc, 1)
	high, _ := m.read(pc+2, 1)
	return uint32(low | high<<16)
}

// forgetCode makes all instructions be decoded again.
func (m *memory) forgetCode() {
	for _, p := range m.pages {
		if p != nil {
			p.code = nil
		}
	}
}

// physical returns the physical address of a virtual one. Pages are permuted, so that regions at
// equal distances, such as stacks, do not meet in the same sets of a cache.
func physical(virtual uint64) uint64 {
	n := virtual >> pageBits & pageMask
	for range 2 {
		n ^= n >> 9
		n = n * 0x2545f491 & pageMask
	}
	return n<<pageBits | virtual%pageBytes
}

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
