package tables

// HotBlock is what one core had to do with one of a run's hot blocks.
type HotBlock struct {
	RunKey      string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Block       string `col:"block" doc:"physical address of the block of 64 bytes, or the lock or barrier whose block it is"`
	Sharing     string `col:"sharing" doc:"false where a core writes the block and no core uses bytes that another one writes, else true"`
	BlockMisses uint64 `col:"block_misses" unit:"misses" doc:"misses of the block that the cache of another core answered, of all cores"`
	Core        uint64 `col:"core" doc:"core, from 0"`
	Misses      uint64 `col:"misses" unit:"misses" doc:"those of this core"`
	Read        string `col:"bytes_read" doc:"bytes of the block that the core reads around its misses, from 0, such as 0-7 16"`
	Written     string `col:"bytes_written" doc:"bytes of the block that the core writes around its misses"`
}

// The kinds of sharing of a hot block.
const (
	FalseSharing = "false"
	TrueSharing  = "true"
)

// HotBlocks is the table of the blocks with most misses that caches of other cores answered.
var HotBlocks = &Table[HotBlock]{Name: "hot_blocks", Doc: "one row per run of a chip, block and core that missed it, for the ten blocks with most misses that caches of other cores answered",
	Columns: columnsOf[HotBlock]()}
