/* The memory of a whole machine: the recorder tells physical addresses, which lie in the machine's main
 * memory from 0 upwards. The emulator keeps that memory as a file without a name, in one mapping. */
#include "recorder.h"

#include "code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t memory_start, memory_bytes; /* of the mapping, in the emulator's own address space */

void machine_find_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];
	while (maps && fgets(line, sizeof line, maps)) {
		uint64_t start, end;
		if (!strstr(line, "memfd:memory-backend") || sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
			continue;
		if (memory_bytes == 0)
			memory_start = start;
		memory_bytes = end - memory_start;
	}
	if (maps)
		fclose(maps);
	if (memory_bytes == 0)
		fail("the emulator's memory is not where it should be; the recorder knows QEMU 6.2 to 8.2");
}

static uint64_t page_of(const struct instruction *in)
{
	uint64_t at = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(in) - memory_start;
	return at < memory_bytes ? at & ~(uint64_t)(PAGE_BYTES - 1) : NOWHERE;
}

/* machine_pages finds the physical pages of a block's code. An instruction tells where it begins: where only
 * the end of the last one lies in another page, that page is not known, and the next block tells its line. */
void machine_pages(const struct block *block, size_t length, uint64_t page[2])
{
	const struct instruction *first = qemu_plugin_tb_get_insn(block, 0), *last = qemu_plugin_tb_get_insn(block, length - 1);
	page[0] = page_of(first);
	page[1] = (qemu_plugin_insn_vaddr(first) ^ qemu_plugin_insn_vaddr(last)) >> PAGE_SHIFT ? page_of(last) : NOWHERE;
}

/* physical returns where an access is in the machine's memory, or NOWHERE. */
static uint64_t physical(access_info info, uint64_t address)
{
	struct hardware_address *h = qemu_plugin_get_hwaddr(info, address);
	uint64_t at = h && !qemu_plugin_hwaddr_is_io(h) ? qemu_plugin_hwaddr_phys_addr(h) : NOWHERE;
	return at < memory_bytes ? at : NOWHERE;
}

/* value_at returns what the machine's memory holds in 1 << size bytes. */
static uint64_t value_at(uint64_t at, unsigned size)
{
	uint64_t value = 0;
	memcpy(&value, (const void *)(uintptr_t)(memory_start + at), (size_t)1 << size);
	return value;
}

uint64_t machine_value(access_info info, uint64_t address)
{
	unsigned size = qemu_plugin_mem_size_shift(info);
	uint64_t at = physical(info, address);
	return at == NOWHERE || address % PAGE_BYTES + (1 << size) > PAGE_BYTES ? 0 : value_at(at, size);
}

/* flags_of returns the flags of an access that has written, by an instruction with some traits. */
static unsigned flags_of(enum kind kind, unsigned what, uint64_t found, uint64_t left)
{
	unsigned flags = left == 0 ? LEFT_ZERO : 0;
	if (kind == ATOMIC && found == 0)
		flags |= FOUND_ZERO;
	if (kind == ATOMIC && what & (SWAPS | COMPARES))
		flags |= EXCHANGE | (found && left && (what & SWAPS || found == left) ? MISSED : 0);
	return flags;
}

/* machine_access tells of an access, in pieces where it lies in two pages. */
void machine_access(unsigned processor, enum kind kind, unsigned what, access_info info, uint64_t address, uint64_t number,
                    uint64_t dependence)
{
	for (uint64_t left = (uint64_t)1 << qemu_plugin_mem_size_shift(info); left > 0;) {
		uint64_t room = PAGE_BYTES - address % PAGE_BYTES, piece = left < room ? left : room;
		uint64_t at = physical(info, address);
		unsigned size = 63 - (unsigned)__builtin_clzll(piece), flags = what & SYSTEM ? BY_SYSTEM : 0;
		struct thread *t = &threads[processor];
		t->left_known = at != NOWHERE && kind != LOAD;
		if (t->left_known) {
			t->left = value_at(at, size);
			flags |= flags_of(kind, what, t->found, t->left);
		}
		if (at != NOWHERE)
			send_access(processor, kind, size | flags, at | (what & SYSTEM ? 0 : place_of(t, number) << ADDRESS_BITS), number, dependence);
		else
			send_access(processor, DEVICE, size | flags, 0, number, 0);
		address += piece;
		left -= piece;
	}
}
