package riscv

import (
	"encoding/binary"
	"slices"
)

const (
	pageBytes  = 4096
	pageBits   = 12
	spaceBits  = 31 // of virtual and of physical addresses
	spacePages = 1 << (spaceBits - pageBits)
	pageMask   = spacePages - 1
)

// page is a page of memory with what its bytes mean as instructions. Copies of a memory share pages:
// only its owner writes a page or keeps instructions in it.
type page struct {
	owner *owner
	data  [pageBytes]byte
	code  []inst // by half of the offset; nil before something in it is executed
}

// owner is a memory as the owner of pages, and how many pages it has copied because others share them.
type owner struct{ copied uint64 }

type memory struct {
	owner *owner
	pages []*page // nil where nothing has been touched, or nothing is mapped
	// states has, per page, what it is and what the program may do with it.
	states   []state
	mappings []mapping       // of the pages that are backed
	coded    []uint32        // pages with decoded instructions, the oldest first
	hooks    map[uint64]bool // addresses of instructions that are hooked
}

// state says what a page is, and what a program may do with it.
type state uint8

const (
	mapped state = 1 << iota
	readable
	writable
	executable
	backed  // it has its first contents from a file or the executable
	shared  // with other processes, of which there are none
	outside // of a file: it lies behind its end, and nothing is allowed
)

// nothing is mapped to a page of state 0.
const (
	unmapped state = 0
	allowed        = readable | writable | executable
)

// mapping says where backed pages have their first contents from.
type mapping struct {
	First, End uint64 // pages
	file       *node  // nil for the executable
	offset     uint64 // in the file, of the first page
}

func newMemory() *memory {
	return &memory{owner: new(owner), pages: make([]*page, spacePages), states: make([]state, spacePages)}
}

// clone copies a memory that is not used any more, or that share has been called for. Pages are copied
// when they are written.
func (m *memory) clone() *memory {
	return &memory{owner: new(owner), pages: slices.Clone(m.pages), states: slices.Clone(m.states), mappings: slices.Clone(m.mappings)}
}

// share makes the pages so far belong to nobody, so that this memory copies them, too.
func (m *memory) share() {
	m.forgetCode()
	m.owner = &owner{copied: m.owner.copied}
}

// packed is a memory without the parts that nothing is in.
type packed struct {
	pages    []numbered
	states   []stretch
	mappings []mapping
}

type numbered struct {
	number uint32
	*page
}

// stretch is the state of pages up to the next stretch.
type stretch struct {
	First uint32
	State state
}

// pack returns what is in a memory, which must not write these pages any more.
func (m *memory) pack() *packed {
	p := &packed{mappings: slices.Clone(m.mappings)}
	last := unmapped
	for i, s := range m.states {
		if s != last {
			p.states, last = append(p.states, stretch{uint32(i), s}), s
		}
		if m.pages[i] != nil {
			p.pages = append(p.pages, numbered{uint32(i), m.pages[i]})
		}
	}
	return p
}

// unpack makes a memory, which copies the pages that it writes.
func (p *packed) unpack() *memory {
	m := newMemory()
	m.mappings = slices.Clone(p.mappings)
	for i, s := range p.states {
		end := uint64(spacePages)
		if i+1 < len(p.states) {
			end = uint64(p.states[i+1].First)
		}
		m.set(uint64(s.First), end, s.State)
	}
	for _, n := range p.pages {
		m.pages[n.number] = n.page
	}
	return m
}

// put makes bytes a page.
func (m *memory) put(n uint64, data *[pageBytes]byte) {
	m.pages[n] = &page{owner: m.owner, data: *data}
}

func (m *memory) set(first, end uint64, s state) {
	for i := range m.states[first:end] {
		m.states[first+uint64(i)] = s
	}
}

func (m *memory) unmap(first, end uint64) {
	m.set(first, end, unmapped)
	clear(m.pages[first:end])
	var left []mapping
	for _, p := range m.mappings {
		if before := p; before.First < first {
			before.End = min(before.End, first)
			left = append(left, before)
		}
		if behind := p; behind.End > end {
			behind.First = max(behind.First, end)
			behind.offset += (behind.First - p.First) << pageBits
			left = append(left, behind)
		}
	}
	m.mappings = left
}

func (m *memory) isFree(first, end uint64) bool {
	return !slices.ContainsFunc(m.states[first:end], func(s state) bool { return s != unmapped })
}

// free finds so many pages that nothing is mapped to, the last ones below a page.
func (m *memory) free(pages, below uint64) (first uint64, ok bool) {
	found := uint64(0)
	for i := below; i > 0 && found < pages; i-- {
		if found++; m.states[i-1] != unmapped {
			found = 0
		}
		first = i - 1
	}
	return first, found == pages
}

// at returns the page of an address, or nil if the program may not do with it what it needs to.
func (m *memory) at(address uint64, need state) *page {
	n := address >> pageBits
	if n >= spacePages || m.states[n]&need == 0 {
		return nil
	}
	p := m.pages[n]
	if p == nil {
		p = &page{owner: m.owner}
		m.pages[n] = p
	}
	if p.owner != m.owner && need != readable {
		m.owner.copied++
		m.put(n, &p.data)
		return m.pages[n]
	}
	return p
}

// read reads 1 << size bytes.
func (m *memory) read(address uint64, size uint8) (uint64, bool) {
	p := m.at(address, readable)
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
	p := m.at(address, writable)
	at := address % pageBytes
	if p == nil {
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

// copyOut reads bytes for a system call, as many of them as the program may read, and copyIn writes
// bytes, as many of them as it may write. They return how many these are.
func (m *memory) copyOut(address uint64, into []byte) (n int) {
	for n < len(into) {
		p := m.at(address+uint64(n), readable)
		if p == nil {
			break
		}
		n += copy(into[n:], p.data[(address+uint64(n))%pageBytes:])
	}
	return n
}

func (m *memory) copyIn(address uint64, bytes []byte) (n int) {
	for n < len(bytes) {
		p := m.at(address+uint64(n), writable)
		if p == nil {
			break
		}
		n += copy(p.data[(address+uint64(n))%pageBytes:], bytes[n:])
	}
	return n
}

// text reads a string that ends with a zero byte. It returns an error of Linux if there is none.
func (m *memory) text(address uint64) (string, int64) {
	var list []byte
	for len(list) < pageBytes {
		v, ok := m.read(address, 0)
		if !ok {
			return "", badAddress
		}
		if v == 0 {
			return string(list), 0
		}
		list = append(list, byte(v))
		address++
	}
	return "", longName
}

// instruction returns the decoded instruction at an address; nil where there is no code.
func (m *memory) instruction(pc uint64) *inst {
	p := m.at(pc, executable)
	if p == nil || pc&1 != 0 {
		return nil
	}
	if p.code == nil {
		m.addCode(pc>>pageBits, p)
	}
	in := &p.code[pc%pageBytes/2]
	if in.bytes == 0 {
		bits, ok := m.bits(pc)
		if !ok {
			return nil
		}
		*in = decode(bits)
		in.hooked = m.hooks[pc]
		if in.kind == load {
			bits, _ = m.bits(pc + uint64(in.bytes))
			behind := decode(bits)
			before, after := behind.orders()
			in.acquire = behind.kind == fence && before&fenceReads != 0 && after&fenceReads != 0
		}
	}
	return in
}

// bits reads the bits of an instruction, which may lie in two pages. It returns false if some of
// them are not executable.
func (m *memory) bits(pc uint64) (uint32, bool) {
	half := func(pc uint64) (uint32, bool) {
		p := m.at(pc, executable)
		if p == nil {
			return 0, false
		}
		return uint32(binary.LittleEndian.Uint16(p.data[pc%pageBytes:])), true
	}
	low, ok := half(pc)
	if low&3 != 3 {
		return low, ok
	}
	high, ok := half(pc + 2)
	return low | high<<16, ok
}

// mostCode is how many pages have decoded instructions, each of which takes 64 KB.
const mostCode = 1024

// addCode makes room for the instructions of a page, in place of those of the oldest page if there
// are too many.
func (m *memory) addCode(n uint64, p *page) {
	if len(m.coded) == mostCode {
		m.forget(m.coded[:1])
		m.coded = slices.Delete(m.coded, 0, 1)
	}
	p.code = make([]inst, pageBytes/2)
	m.coded = append(m.coded, uint32(n))
}

// forgetCode makes all instructions be decoded again.
func (m *memory) forgetCode() {
	m.forget(m.coded)
	m.coded = m.coded[:0]
}

func (m *memory) forget(list []uint32) {
	for _, n := range list {
		if p := m.pages[n]; p != nil {
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
