// Package silicon compares simulated kernels with cycles measured on a real chip: Tenstorrent's
// Wormhole, whose 10x12 nodes are joined by two unidirectional tori.
//
// There are only a few types: [Parameters] are what is not published of the chip, [Options] say how
// to replay, a [Kernel] is one recorded kernel beside its simulation, and [Run] makes a [Report] of
// several. [FitTo] finds parameters, [RunStudy] replays the same kernels on other networks.
//
// # The model
//
// The networks are wormhole routers with virtual channels (noc/wormhole) on utorus:10x12 and
// utorus:10x12:-y-x. Published are the shape, the routes, a flit of 32 bytes per cycle and link, 9
// cycles from router to router and 10 from node to node without a link, packets of a header and at
// most 8192 bytes, and classes of virtual channels: requests and answers have two on either side of
// a ring's dateline. A request and its answer cross whole rings together, so a read alone takes one
// of four times, whatever the distance.
//
// Processors, barriers and servers are those of package closedloop. A processor takes 80 cycles at
// a barrier after the last answer, as it does at one where nothing is missing: that is measured. A
// node sends one packet of a class at a time over each network, and has one more ready. A worker
// answers at a flit per cycle and a few cycles per packet. Its memory serves what leaves and what
// comes on both networks in turn, so that one network's congestion is felt on the other, as on the
// chip. Requests that a node has no place for wait in the network, where the inputs of the last
// router take turns: a node's own requests are therefore answered sooner than others', as on the
// chip.
//
// Who is first at a router hangs on single cycles, and a kernel's time on that by up to 3 %: the
// model is replayed in several replicas whose processors start up to 16 cycles later, and its
// prediction is their mean.
//
// # The parameters
//
// Seven are free: the depth of a virtual channel (buffer_flits), the requests that a node holds
// (places), latency and cost per packet of workers (l1_latency, l1_setup), their shared memory
// (l1_memory), and latency and rate of DRAM (dram_latency, dram_per_kib). The two latencies hold
// whatever else is constant about a read. They were fitted to 20 of 71 recordings, chosen
// beforehand by group; the other 51 have not been seen. [FitTo] minimises the mean square error,
// coordinate by coordinate, and tells each parameter's interval, what the error is without what it
// stands for, and the error of kernels and groups that were left out of the fit:
//
//	carousel validate silicon FILES... --fit
//
// # What has been validated, and what not
//
// All 71 recordings are kernels that move a tensor from one layout to another: reads of 2048 and
// 4096 bytes, one kernel at a time, on one kind of chip. Writes, multicasts, atomics, semaphores,
// packets of other sizes, transfers over Ethernet and traffic of several kernels are implemented,
// and have not been compared with anything. Only one of the two networks carries reads of DRAM in
// these recordings. Gaps between the steps of a processor are input, with the cost of recording
// them, and so are the starts of processors. Beside the model stand three without a network of
// routers; how far they come shows how much of a kernel's time its recording gives away.
//
// To add a parameter: a field of Parameters, a row of Knobs, and its use in server or options. To
// add a network to the study: a row of Variants.
package silicon
