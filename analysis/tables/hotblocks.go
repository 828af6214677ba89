package tables

// HotBlock is what one core had to do with one of a run's hot blocks.
type HotBlock struct {
	RunKey      string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Block       string `col:"block" doc:"physical address of the block of 64 bytes, or the lock or barrier whose block it is"`
	Sharing     string `col:"sharing" doc:"false for false sharing: a core writes the block, and no core uses bytes that another core writes; else true"`
	BlockMisses uint64 `col:"block_misses" unit:"misses" doc:"misses of all cores that the cache of another core answered"`
	Core        uint64 `col:"core" doc:"core, from 0"`
	Misses      uint64 `col:"misses" unit:"misses" doc:"misses of this core that the cache of another core answered"`
	Read        string `col:"bytes_read" doc:"bytes of the block, from 0, that the core reads in the instructions around its misses, such as 0-7 16"`
	Written     string `col:"bytes_written" doc:"bytes of the block that the core writes in these instructions"`
}

// The kinds of sharing of a hot block.
const (
	FalseSharing = "false"
	TrueSharing  = "true"
)

// HotBlocks is the table of the blocks that move most often between caches.
var HotBlocks = &Table[HotBlock]{Name: "hot_blocks", Doc: "one row per run of a chip, block and core with misses of the block, for the ten blocks that move most often between caches",
	Columns: columnsOf[HotBlock]()}
