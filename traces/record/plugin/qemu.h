/* The part of QEMU's plugin interface, version 1, that the recorder calls. QEMU does not install a header
 * for plugins on every distribution; the functions are found in the emulator when it loads the plugin. */
#ifndef CAROUSEL_QEMU_H
#define CAROUSEL_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERFACE_VERSION 1

typedef uint64_t plugin_id;
typedef uint32_t access_info;
struct block;       /* translated block of guest instructions */
struct instruction; /* of a block; valid during translation only */
struct hardware_address; /* valid in the hook of an access only */

struct emulator {
	const char *target;
	struct {
		int minimum, current;
	} version;
	bool whole_system;
	struct {
		int processors, most_processors;
	} system;
};

enum { NO_REGISTERS = 0 };
enum { READS_AND_WRITES = 3 };

typedef void (*simple_call)(plugin_id);
typedef void (*end_call)(plugin_id, void *);
typedef void (*processor_call)(plugin_id, unsigned processor);
typedef void (*execution_call)(unsigned processor, void *);
typedef void (*translation_call)(plugin_id, struct block *);
typedef void (*access_call)(unsigned processor, access_info, uint64_t address, void *);
typedef void (*system_call)(plugin_id, unsigned processor, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t, uint64_t, uint64_t);
typedef void (*system_return)(plugin_id, unsigned processor, int64_t number, int64_t result);

void qemu_plugin_reset(plugin_id, simple_call);
void qemu_plugin_register_vcpu_init_cb(plugin_id, processor_call);
void qemu_plugin_register_vcpu_exit_cb(plugin_id, processor_call);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translation_call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, execution_call, int, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *, execution_call, int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct instruction *, access_call, int, int, void *);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id, system_call);
void qemu_plugin_register_vcpu_syscall_ret_cb(plugin_id, system_return);
void qemu_plugin_register_atexit_cb(plugin_id, end_call, void *);
size_t qemu_plugin_tb_n_insns(const struct block *);
uint64_t qemu_plugin_tb_vaddr(const struct block *);
struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
const void *qemu_plugin_insn_data(const struct instruction *);
size_t qemu_plugin_insn_size(const struct instruction *);
uint64_t qemu_plugin_insn_vaddr(const struct instruction *);
unsigned qemu_plugin_mem_size_shift(access_info);
bool qemu_plugin_mem_is_store(access_info);
void *qemu_plugin_insn_haddr(const struct instruction *); /* where the emulator keeps the code, or NULL */
struct hardware_address *qemu_plugin_get_hwaddr(access_info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct hardware_address *);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct hardware_address *);
uint64_t qemu_plugin_start_code(void); /* address of the program's first executable segment */

#endif
