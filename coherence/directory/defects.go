package directory

// defect is a mistake that tests seed to see the checks find it. Outside tests it is always noDefect.
type defect uint8

const (
	noDefect        defect = iota
	ackWhileBusy           // an eviction of a busy block is acknowledged at once
	keepOvertaken          // an invalidation that overtakes data leaves the L1 waiting as if nothing had come
	keepOnce               // data that an invalidation has overtaken stays readable
	serveLate              // data that an invalidation has overtaken serves accesses made after it
	trustStale             // the home takes evicted data from anybody
	upgradeDataless        // an upgrade is always answered without data
	dropAck                // a sharer that evicts does not acknowledge an invalidation
	countTwice             // an acknowledgement counts as two
	writeEarly             // a writer does not wait for acknowledgements
	unblockEarly           // a writer unblocks the home before all acknowledgements have come
	forgetOwner            // an owner that has answered a reader is no sharer
	forgetReader           // a reader served by the bank is no sharer
	forgetDirty            // data that comes home from an owner is taken for clean
	forgetRecall           // a shared block is given up without telling the sharers
	skipAck                // a block is free before memory has acknowledged its data
	askAgain               // an L1 asks for a block that it is still evicting
	invalidateSelf         // the requestor is among those it makes the home invalidate
	forwardEvicted         // an evicted owner that has given the block away answers as if it still had it
	answerEarly            // a home that waits for the owner serves a reader with the data it has
	defects
)
