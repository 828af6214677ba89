// Package riscv executes statically linked Linux programs for RISC-V (RV64IMAFDC, user mode) whose
// threads are the cores of a chip.
//
// A [Program] is an executable with its arguments, a [Machine] is one
// at work. A machine is a traces.Live source: the chip reads the records of a core as it dispatches
// them, and decides by its time whose store comes first. [Record] runs a program without a chip and
// writes what it does as a trace.
//
// # When accesses take effect
//
// A load reads when the core reads the record behind it. A store enters the hart's store buffer,
// from which only the hart itself reads, and is in memory when the chip says that it is visible. An
// atomic, a fence that orders stores before loads, FENCE.I, and a system call take effect when the
// chip has performed them, with an empty store buffer; the hart stops until then. So does a load with
// a fence for reads behind it (acquire). That is the abstract machine of total store order, so every
// outcome of a program is one that the memory model allows, whatever the timing. On a chip with
// sequential consistency the hart stops at every load.
//
// Two things differ from a real execution: a load that misses reads when it is dispatched, one miss
// earlier than the chip answers, and branches that depend on it are predicted perfectly. For loads
// with a fence behind them neither is so.
//
// # Rules
//
//   - One hart per core and one thread per hart. A thread that ends leaves its hart to the next.
//   - [RegionBegin] and [RegionEnd] are instructions that do nothing (testdata/manual/carousel.h of
//     package manual has them for C). If the program has the first, it runs without a chip until a
//     thread executes it; package timestamps tracks the contents of caches until then.
//   - Physical addresses are a fixed permutation of the pages of 2 GiB of virtual addresses, so they
//     do not depend on who touches a page first.
//   - A system call takes [CallInstructions] instructions, one that puts threads to sleep or wakes
//     them [FutexInstructions] unless the chip says otherwise, without memory accesses: about what Linux takes.
//   - Time is simulated. Files are read from one folder; nothing is written but standard output and
//     standard error. Random numbers, process numbers and the environment are fixed. Signals are
//     not supported: a program that sends one ends with an error that names it.
//   - In a recording, words that are used as locks become Lock and Unlock records, whose order a
//     replay decides, by the rules of package record for machines (record.Processors). If a thread
//     has slept on the word by a futex call, so do the cores of a replay, and what the calls do is
//     left out. Fetch-and-adds keep no order
//     between each other, and may take tickets; all other atomics keep their recorded order. Counters and
//     flags at which threads meet become Barrier records. If the executable has symbols, records stand for
//     what pthread_barrier_wait and the functions of pthread_rwlock_t do (library.go). A thread that
//     sleeps for another reason has a Fence record where it falls asleep, and one without instructions
//     where it wakes. The second waits for the thread that woke it, and all later records wait for the
//     second. Where a thread wakes after the end of another one, or loads the word that the kernel has cleared, it
//     first has the record of a join. The first thread of a core has the record of its creation.
//     Before a later one, a fence says that the core has been idle.
//   - A load whose value decides nothing keeps no order in a recording (known.go).
//   - Dependences are those of package record: to the latest load that an address or stored data
//     come from, through registers or the hart's own stores, at most 1,023 accesses back.
//   - An access that crosses a line is one record, at its first byte.
//
// The loop is (*Machine).ReadRecords in records.go. The table of decode.go has all instructions, calls.go all
// system calls: to add one, add a row.
package riscv
