package twin

// walk finds loops over lines by the distances at which they come back: after a far line has been touched again, the line
// that was touched behind it the time before is at the same distance.
type walk struct {
	distance int // of the line behind the last far one
}

// visit notes an access of a class at a distance in the stack, -1 for a new line, and returns its class: a followed one
// when it goes on with the walk.
func (w *walk) visit(class, distance int) int {
	if distance < 0 || !far(class) {
		w.moved(distance)
		return class
	}
	expected := w.distance
	w.distance = distance
	if distance != expected {
		return class
	}
	return followed(class)
}

// moved notes that the line at a distance, or a new one, has come to the top.
func (w *walk) moved(distance int) {
	if distance < 0 || distance > w.distance {
		w.distance++
	}
}

// stepped notes that the line at a distance has come to the top as one of a class, when the walk would have gone on at
// another distance. A walk goes on where it was when a line close by had to stand for the next one.
func (w *walk) stepped(class, distance, expected int) {
	switch {
	case class >= following && distanceClass(expected) == distanceClass(distance):
		w.distance = expected
	case far(class):
		w.distance = distance
	}
}
