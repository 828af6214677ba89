// Package chakra reads execution traces of the Chakra project of MLCommons: for each rank of a distributed
// program a graph of computations, messages and collective operations, with their dependences.
//
// [Files] finds the files of all ranks, [Read] reads one into a [Trace] of [Node]s. A file holds messages of the
// schema et_def.proto, each behind its length as a varint: first one GlobalMetadata, then a Node for each
// operation. It may be compressed. The fields that are read are id, name, type, ctrl_deps, data_deps,
// duration_micros, and these attributes, of any integer type:
//
//	comm_type          of a collective operation, as in CollectiveCommType
//	comm_size          bytes of a message, or of the vector of a collective operation
//	comm_src comm_dst  ranks of a message
//	comm_tag           tells messages between two ranks apart
//	pg_name            group of ranks of a collective operation, a string
//
// A send needs comm_size and comm_dst, a receive comm_src, and a collective operation comm_type and, unless it is a
// barrier, comm_size. Others are 0 or empty if they are missing.
//
// Laws: every dependence is on a node of the file. An error names the file, the byte and the node.
package chakra
