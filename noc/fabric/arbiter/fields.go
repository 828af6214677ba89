package arbiter

// Fields divides a word into equal parts, from the lowest bits on, of two bits or more. Each is a
// set of requests with a round robin of its own.
type Fields struct {
	Low, High uint64 // first and last bits of all fields
	last      uint8  // number of a field's last bit
}

// NewFields divides a word into some fields.
func NewFields(number, width int) Fields {
	f := Fields{last: uint8(width - 1)}
	for i := range number {
		f.Low |= 1 << (i * width)
		f.High |= 1 << (i*width + width - 1)
	}
	return f
}

// First picks a winner in each field with requests. after holds, in each field, what comes after
// its last grant. upTo holds each field's bits up to its winner, and all bits of a field in which
// nobody asks.
func (f *Fields) First(requests, after uint64) (winners, upTo uint64) {
	later := requests & after
	none := f.High &^ (later | ((later | f.High) - f.Low)) // last bits of the fields without any later
	requests = later | requests&(none<<1-none>>(f.last&63))
	less := (requests | f.High) - f.Low
	return requests &^ less, (requests | f.High) ^ less
}

// Filled returns all bits of the fields in which there is any of the given ones.
func (f *Fields) Filled(some uint64) uint64 {
	tops := (some | ((some | f.High) - f.Low)) & f.High
	return tops<<1 - tops>>(f.last&63)
}

// The lowest, the highest, and all but the highest bits of the eight bytes of a word.
const (
	lowBits   = 0x0101010101010101
	highBits  = 0x8080808080808080
	lowerBits = highBits - lowBits
)

// Octets is Fields for the eight bytes of a word: it picks a winner in each byte with requests,
// and returns what comes after the last grants from then on.
func Octets(requests, after uint64) (winners, next uint64) {
	first := requests & after
	later := (first&lowerBits + lowerBits | first) & highBits // of bytes with a request after the last grant
	first |= requests &^ (later<<1 - later>>7)
	asked := (requests&lowerBits + lowerBits | requests) & highBits
	winners = first &^ (first - asked>>7)
	upTo := winners | (winners - asked>>7)
	granted := asked<<1 - asked>>7
	return winners, after&^granted | granted&^upTo
}

// Highest8 returns the highest request in each byte of a word.
func Highest8(requests uint64) uint64 {
	requests |= requests >> 1 & lowerBits
	requests |= requests >> 2 & (lowerBits >> 1 & lowerBits)
	requests |= requests >> 4 & (0x0f * lowBits)
	return requests &^ (requests >> 1 & lowerBits)
}
