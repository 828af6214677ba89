package twin

// reuse measures how many other lines a core has touched since it last touched a line: the distance in a
// stack ordered by recency (Mattson, Gecsei, Slutz and Traiger, IBM Systems Journal 9, 1970), by a Fenwick tree
// over the times of last touches (Bennett and Kruskal, IBM Journal of Research and Development 19, 1975).
type reuse struct {
	last  []int32 // per line: time of the last touch, from 1; 0 never
	tree  []int32 // marks at the last touches
	lines []int32 // by time: the line marked there, or -1
	now   int32
	count int32 // marks
}

const firstTimes = 1 << 12

func newReuse() *reuse {
	return &reuse{tree: make([]int32, firstTimes+1), lines: make([]int32, firstTimes+1)}
}

// touch notes a touch of a line and returns its distance, or -1 for the first.
func (u *reuse) touch(l int32) int {
	for int(l) >= len(u.last) {
		u.last = append(u.last, 0)
	}
	if int(u.now)+1 == len(u.tree) {
		u.compact()
	}
	distance := -1
	if before := u.last[l]; before > 0 {
		distance = int(u.count - u.sum(before))
		u.add(before, -1)
		u.lines[before] = -1
		u.count--
	}
	u.now++
	u.last[l] = u.now
	u.lines[u.now] = l
	u.add(u.now, 1)
	u.count++
	return distance
}

func (u *reuse) add(at, n int32) {
	for ; int(at) < len(u.tree); at += at & -at {
		u.tree[at] += n
	}
}

func (u *reuse) sum(at int32) (n int32) {
	for ; at > 0; at &= at - 1 {
		n += u.tree[at]
	}
	return n
}

// compact renumbers the times so that only last touches have one, in a tree of at least twice their number.
func (u *reuse) compact() {
	size := len(u.tree)
	for size < 2*int(u.count)+firstTimes {
		size *= 2
	}
	lines := make([]int32, size)
	tree := make([]int32, size)
	now := int32(0)
	for at := int32(1); at <= u.now; at++ {
		if l := u.lines[at]; l >= 0 {
			now++
			lines[now], u.last[l] = l, now
		}
	}
	u.lines, u.tree, u.now = lines, tree, now
	for at := int32(1); at <= now; at++ {
		u.add(at, 1)
	}
}
