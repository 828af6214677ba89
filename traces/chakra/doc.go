// Package chakra reads execution traces of the Chakra project of MLCommons: for each rank of a distributed
// program a graph of computations, messages and collective operations, with their dependences.
//
// [Files] finds the files of all ranks, [Read] reads each into a [Trace] of [Node]s. A file holds messages of the
// schema et_def.proto, each behind its length as a varint: first one GlobalMetadata, then a Node for each
// operation. It may be compressed. The fields that are read are id, name, type, ctrl_deps, data_deps,
// duration_micros, and these attributes, of any integer type:
//
//	comm_type          of a collective operation, as in CollectiveCommType
//	comm_size          bytes of a message, or of the vector of a collective operation
//	comm_src comm_dst  ranks of a message
//	comm_tag           tells messages between two ranks apart
//	is_cpu_op          (or a bool) 1 if a processor executes the node
//	pg_name            group of ranks of a collective operation, a string
//
// A send needs comm_size and comm_dst, a receive comm_src, and a collective operation comm_type and, unless it is a
// barrier, comm_size. Others are 0 or empty if they are missing.
//
// A message or collective operation that a processor executes is a computation: traces of PyTorch have such a node for
// the call that starts an operation, and another node for the operation itself.
//
// The ctrl_deps of traces of PyTorch are the callers of operations, of which some are not in the file. If the
// file of a rank lacks one, the ctrl_deps of all ranks are left out, as in the feeder of the Chakra project, which
// follows data_deps alone.
//
// Laws: every dependence is on a node of the file. An error names the file, the byte and the node.
package chakra
