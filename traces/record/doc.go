// Package record records unmodified x86-64 Linux programs as traces. It runs them under QEMU's
// user-mode emulation with a plugin that observes every instruction. It can also record a whole
// machine under QEMU's system emulation: a Linux kernel on several processors, and the program that
// runs on it.
//
// A [Config] says what to record, and its [System] on which machine. [Run] makes the recording and
// returns a [Result]. Inside, a session (session.go) starts the emulator and listens; a stream
// (stream.go) reads what the plugin sends; a converter (convert.go) turns it into calls of a
// traces.Writer. A machine (machine.go) starts from a kept state (state.go), with a file system
// made by package initramfs and a first program (guest.go). The plugin is the C code in plugin/;
// the program loads preload/ where the programs that it executes are recorded too. Both are built
// with the system's compiler on first use (build.go) and kept in the user's cache folder.
//
// Rules for programs:
//
//   - The emulator stays on one processor of the host, and the plugin sends every message under a
//     lock. One stream therefore has the accesses of all threads in one order, and nothing has to
//     be merged. Memory is bounded, because the plugin waits while the recorder is busy. Only the
//     table of lines and pages that the program touches grows.
//   - Threads are numbered as they appear in the region and spread over the cores (Config.Mapping).
//     Threads of one core follow each other as they did when they were recorded.
//   - Order between cores is kept by edges (package order): reads of bytes that another core has
//     written;
//     the first step of a thread after its creation; the return from a futex after the call that
//     woke it. A join is the store by which the kernel clears the thread's number, which is in the
//     trace as the last store of the thread, and an edge to the loads that see it. A core whose
//     first thread is created in the region waits for a Create record.
//   - Children are recorded on demand (Config.Children): forked processes, and the programs that
//     they execute if the region begins at the start and the process that executes them is linked
//     dynamically. A program goes on on the core of the process that executes it. Programs that are
//     executed by the C library's own functions (system, popen, posix_spawn) are not seen.
//   - Waiting is left out where the program sleeps in the kernel. Where it spins, its loads are in
//     the trace, but for those that repeat an earlier one and find the same value (polls.go). The
//     load that finds another value is told to poll.
//   - An instruction with a LOCK prefix, and an exchange with memory, is one Atomic. Elements of a
//     string instruction, and the pieces of at most 8 bytes in which QEMU makes wide vector
//     accesses, are records of their own with Instructions 0. An access that crosses a line becomes
//     one per line.
//   - A dependence leads from an access to the latest load that its address comes from, or its
//     data: directly, through registers, or through what the same thread has stored and reads
//     again. Where there are several such loads only the latest is kept, and none that is more than
//     1,023 accesses back. The flags count as a register, so that conditional moves depend on what
//     was compared; jumps do not, since branches are predicted. All registers of the x87 and MMX
//     units count as one, which can name a later load than the right one.
//   - Dependences are found by decoding the bytes of the code (plugin/registers.c): general
//     registers, SSE, AVX, AVX2, FMA and BMI. After an instruction that the decoder does not know,
//     such as one of AVX-512, no register counts as loaded: a dependence may be missing, and none
//     is made up. Such instructions are counted as they are executed, and Result lists the number.
//     A block that is left by a signal, a fault or an interrupt counts as executed to its end.
//   - What the kernel reads and writes on behalf of the program is not seen, nor is what happens
//     between processes.
//   - Instructions are counted by translated blocks: a block left by a signal or a fault counts
//     whole.
//   - Threads run in short turns (Config.Turn), which approximates parallel execution. The plugin
//     ends a turn (plugin/relay.c), also after an atomic access to a word whose last atomic access
//     was another thread's.
//   - Locks and reader-writer locks of POSIX threads, their barriers, and the parallel regions and
//     barriers of GNU OpenMP are Lock, Unlock and Barrier records, whose order a replay decides (synchronise.go): a
//     library that the program loads reports them (preload/synchronise.c), and the accesses by
//     which the C and OpenMP libraries implement them are left out. The records have the addresses
//     of the words (traces.LockWord), but those of OpenMP, whose words are not told. In statically linked
//     programs, and where they are made by hand, words that are used as locks or barriers have such
//     records, as in machines (words.go, shared.go, meetings.go). Other fetch-and-adds are in no
//     order with each other, and take tickets where they give out tasks (tickets.go). All other
//     atomics are in recorded order.
//   - A thread that waits for a condition releases its lock and takes it again after the thread
//     that wakes it.
//   - In the trace, a core that holds a lock waits only for locks, and never in a cycle, so that a
//     replay cannot deadlock in any order of locks. Before any other wait, and before a lock that
//     would close a cycle, the trace releases the locks of the core. The next core that takes such
//     a lock waits until the holder has done what it did before it really released the lock.
//
// What differs for machines:
//
//   - A processor is a core. Addresses are physical, those of the machine's memory, from 0;
//     accesses to devices are left out and counted. The accesses of the kernel are in the trace;
//     those of devices and page-table walks are not. An access that reaches into a page is told by
//     its own physical address.
//   - The kernel synchronises by memory. The recorder recognises the locks by the accesses to their
//     words (words.go): an exchange that finds zero takes the word, and zero, stored or exchanged
//     by the same processor, releases it. That finds spin locks, and mutexes while no thread sleeps
//     on them. They are Lock and Unlock records with the word's address (traces.LockWord).
//     There are records of reader-writer locks (shared.go) and of barriers (meetings.go), too.
//     Sequence counts, lock-free lists, and all that may not be a lock, remain accesses in recorded
//     order; counters are in the order that the replay decides. If executors know where functions of
//     a library synchronise threads, records stand for those (Call).
//   - Words that the kernel changes by atomics give no tickets. Those of a program are given out if
//     its threads stay on their processors: if there is a place in its code at which each core that
//     takes tickets has found one line, and no two the same. A body has what its processor does up to
//     the next ticket, also in interrupts and other threads. The kernel's data of a processor remain
//     those of the recorded one. What the kernel does at a barrier shows nothing of the barrier.
//   - All other order between processors is kept by edges of reads. A processor that sleeps until an
//     interrupt (HLT) leaves a fence that says so (traces.Halts); so does one that sleeps at the start.
//   - QEMU runs the processors in turn, counts instructions and derives the time from them
//     (icount), so nothing depends on the recording computer: recordings from one kept state are
//     equal byte by byte. That takes more than QEMU does by itself: its main thread must be kept
//     from firing the machine's timers (plugin/turns.c), and timers of the host's time, such as
//     those for announcing a moved machine, must not end turns (machine.go). A turn ends after
//     Config.Turn instructions, with a timer, or when the processor pauses or halts. Only edges
//     hold the order of accesses.
//   - No two boots are equal (state.go), so the state of a machine is saved after booting, before
//     the program starts. A saved state is used only with the same kernel, files, command, machine
//     and version of QEMU. Another computer boots anew and gets a different recording of the same
//     program.
//   - Where a program spins without a pause instruction, the processors after it get no turn until
//     the kernel preempts the program.
//   - A block that is left because an instruction in it accesses a device counts whole, and the
//     rest of it again.
//   - Code of 16 and 32 bits is decoded as if it had 64, so its dependences are wrong. Linux has
//     such code only while it boots, and where it runs old programs. Values that pass from process
//     to process through one virtual address, on one processor within 256 stores, are taken for
//     values of one process.
//
// The package imports traces and what is below it. The loop is (*converter).take in convert.go.
//
// To watch more: send a message of a new kind in plugin/recorder.c (plugin/stream.h lists them),
// and give it a case in (*converter).take. To know more instructions: plugin/integers.c, system.c
// and vectors.c, and a line in registers_test.go.
package record
