package twin

import "math/bits"

// A data access is of one class. The first ones are distances: how many other lines the core has touched
// since it last touched this one, in powers of two: class 0 is the line of the previous access, class k a
// distance from 2^(k-1) to 2^k-1. All accesses of a distance class find what the core itself left there. The
// others bring lines that are new to the core, or that other cores have used since.
//
// Distances do not say whether a cache with sets still has a line. So the classes from crowdedFirst to crowdedLast have
// a second one, for lines of which the core has touched two others since that lie in the same set (sets.go).
const (
	distances      = 18 // the last one is 65536 lines and more
	newPrivate     = distances + iota - 1
	newShared      // first touch of a line that several cores read and none writes
	readProduced   // read what another core has written, of lines with one writer
	writeProduced  // write a line of one's own that others have read
	readExchanged  // read what another core has written, of lines with several writers
	writeExchanged // write a line with several writers that others have used
	upgrade        // the same, right after having read it
	upgradeLater   // the same, after having read it and other lines
	crowded        // distances with two others in the set since, from crowdedFirst on
	// Far distances once more, for the line that was touched next after the last far one when that was touched before:
	// loops over lines come back to them in the same order.
	following   = crowded + crowdedClasses
	dataClasses = following + distances + crowdedClasses
)

// At shorter distances there cannot be two others in a set, at longer ones there nearly always are.
const (
	crowdedFirst   = 2
	crowdedLast    = 10
	crowdedClasses = crowdedLast - crowdedFirst + 1
)

// An instruction fetch is of one class: a distance as above, among the lines of code, or new, or crowded.
const (
	newCode     = distances
	crowdedCode = distances + 1
	codeClasses = crowdedCode + crowdedClasses
)

// kept says what a distance class tells about the set of its line.
type kept uint8

const (
	anywhere kept = iota // nothing
	inSet                // at most one other line of the set has been touched since
	outOfSet             // two or more
)

// distanceOf takes a class apart, of data or code, whose crowded classes begin at first.
func distanceOf(class, first int) (distance int, k kept) {
	switch {
	case first == crowded && class >= following:
		return distanceOf(unfollowed(class), first)
	case class >= first:
		return class - first + crowdedFirst, outOfSet
	case class >= crowdedFirst && class <= crowdedLast:
		return class, inSet
	}
	return class, anywhere
}

// classOf is the class of a distance; first is where crowded classes begin.
func classOf(d int, recent bool, first int) int {
	class := distanceClass(d)
	if !recent && class >= crowdedFirst && class <= crowdedLast {
		return class - crowdedFirst + first
	}
	return class
}

// distanceClass is the class of a distance.
func distanceClass(d int) int { return min(bits.Len(uint(d)), distances-1) }

// distancesOf gives the smallest and the largest distance of a class, if it is one of distances.
func distancesOf(class, first int) (low, high int, ok bool) {
	if class == upgradeLater && first == crowded {
		return recentLines, limitDistance, true
	}
	distance, _ := distanceOf(class, first)
	switch {
	case distance == 0:
		return 0, 0, true
	case distance < distances-1:
		return 1 << (distance - 1), 1<<distance - 1, true
	}
	return 1 << (distance - 1), limitDistance, distance == distances-1
}

// far reports whether lines of a class, of the core's own, are remembered as the last far one.
func far(class int) bool {
	return class > farClass && class < distances || class >= crowded
}

// farClass is the last one that is near, unless the set has lost the line.
const farClass = 4

// followed is the class of a line that follows the last far one, unfollowed the one that it would have otherwise.
func followed(class int) int {
	if class >= crowded {
		return class - crowded + following + distances
	}
	return class + following
}

func unfollowed(class int) int {
	switch {
	case class >= following+distances:
		return class - following - distances + crowded
	case class >= following:
		return class - following
	}
	return class
}

// states are the classes of data accesses by kind.
const states = dataClasses * accessKinds

func stateOf(class, kind int) int { return class*accessKinds + kind }

// parts takes a state apart.
func parts(state int) (class, kind int) { return state / accessKinds, state % accessKinds }

// degreeClass groups lines by the number of cores that touch them: 1, 2, 3 to 4, 5 to 8, and so on.
func degreeClass(cores int) int { return bits.Len(uint(cores - 1)) }

const degreeClasses = 7 // up to 64 cores

// The kinds of accesses in the tables of a behaviour.
const (
	isLoad = iota
	isStore
	isAtomic
	accessKinds
)

// Places of an access in its line, relative to the previous access of the core to this line.
const (
	samePlace = iota
	nextPlace // right behind it
	otherPlace
	places
)

// Gaps are counted apart by the kind of access that they stand before, and by whether it is to the line of the
// previous one, to another, or to one that a cache is unlikely to have; instruction fetches have a table of their own.
const (
	gapFetch  = 3 * accessKinds
	gapTables = gapFetch + 1
)

// gapTable is the table of accesses in a state.
func gapTable(class, kind int) int {
	switch {
	case class == 0:
		return kind
	case missing(class):
		return kind + 2*accessKinds
	}
	return kind + accessKinds
}

// missing reports whether accesses of a class are to lines that a cache is unlikely to have.
func missing(class int) bool { return unfollowed(class) > crowdedLast }
