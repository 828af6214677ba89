package tables

// HotBlock is what one core had to do with one of a run's hot blocks.
type HotBlock struct {
	RunKey, Block, Sharing string
	BlockMisses            uint64
	Core, Misses           uint64
	Read, Written          string
}

// The kinds of sharing of a hot block.
const (
	FalseSharing = "false"
	TrueSharing  = "true"
)

// HotBlocks is the table of the blocks with most misses that caches of other cores answered.
var HotBlocks = &Table[HotBlock]{
	Name: "hot_blocks", Doc: "one row per run of a chip, block and core that missed it, for the ten blocks with most misses that caches of other cores answered",
	Columns: []Column[HotBlock]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *HotBlock) any { return &r.RunKey }},
		{"block", "", "physical address of the block of 64 bytes, or the lock or barrier whose block it is", func(r *HotBlock) any { return &r.Block }},
		{"sharing", "", "false where a core writes the block and no core uses bytes that another one writes, else true", func(r *HotBlock) any { return &r.Sharing }},
		{"block_misses", "misses", "misses of the block that the cache of another core answered, of all cores", func(r *HotBlock) any { return &r.BlockMisses }},
		{"core", "", "core, from 0", func(r *HotBlock) any { return &r.Core }},
		{"misses", "misses", "those of this core", func(r *HotBlock) any { return &r.Misses }},
		{"bytes_read", "", "bytes of the block that the core reads around its misses, from 0, such as 0-7 16", func(r *HotBlock) any { return &r.Read }},
		{"bytes_written", "", "bytes of the block that the core writes around its misses", func(r *HotBlock) any { return &r.Written }},
	},
}
