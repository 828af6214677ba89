// Package recipe records the twelve applications of Table 2 of Abad, Puente and Gregorio (MRR) from
// real programs.
//
// A [Recipe] is a row of the [Table] and says which program stands for an application, what must be
// installed, and where the region of interest is; [Make] follows one and returns the result of
// package record. Inside, a workshop (make.go) is the temporary folder in which inputs are
// made, with the sizes that the user has chosen.
//
// The four commercial applications are recorded by package traces/record with the machine that they
// run on: Linux, the server, and its clients, which share the 16 processors with it. The others are
// recorded in user mode, so that a trace has what the program's own threads do, and not what the
// kernel does for them. The programs:
//
//   - apache: Apache's event module, one process with as many workers as cores, and ApacheBench.
//   - jbb: a Java program of our own on OpenJDK (source/Middleware.java): warehouses, orders,
//     payments.
//   - zeus: nginx, an event-driven web server, as Zeus is one, with a process per core, and
//     ApacheBench.
//   - oltp: MariaDB with the transactions of TPC-B, which clients send statement by statement.
//   - ft, is, sp, bt, lu: our own OpenMP programs in C (source/*.c), from the specification of the
//     NAS Parallel Benchmarks, in class W or A, with the published values that they verify. LU relaxes
//     planes of points with equal i+j+k side by side, where the benchmarks' own version runs a
//     pipeline of threads that wait in loops.
//   - twolf: TimberWolfSC of Debian's graywolf, the successor of the program in SPEC CPU2000, on
//     netlists of our own making.
//   - gcc: cc1 of the installed GCC, on one large program of our own (source/steps.c).
//   - mcf: a network simplex solver of our own (source/mcf.c), which proves that its result is
//     optimal.
//
// The last three run once per core, as in SPEC's rate mode.
//
// Some windows of a recording are kept, each with the contents of caches at its start, with accesses
// that are replayed before the measured part, and with some that follow it. They are small enough to be
// embedded in the program: carousel workload make all writes the files in workloads/recorded. Inputs larger
// than the L2 make them large, as a window then holds the addresses of all 262,144 blocks of the L2.
//
// Two recordings of a program with threads in user mode differ, because the host decides when they
// wake up. The programs that run once per core repeat bit for bit with the same versions and the
// same environment, and machines from one kept state.
//
// Laws: nothing is installed unless the user asks for it; what is missing is named with its
// package; servers and clients end with the recording; every recording has a bound in time; all
// files are made in a temporary folder.
//
// To add an application: a row of workloads.Applications, and one of Table here.
package recipe
