package multicast

import "math"

// unmatched stands for no row, or no column.
const unmatched = -1

// assign solves the assignment problem: it pairs every row of a square matrix with a column of its
// own so that the sum of the chosen weights is least, and returns the column of each row.
//
// This is the Hungarian method with potentials, O(n^3). Rows join the matching one at a time. For
// each, a shortest augmenting path is grown over the reduced weights weight - ofRow - ofColumn,
// which stay at least 0 and are 0 along the matching; then the pairs along the path are exchanged.
func assign(weight [][]int64) []int {
	n := len(weight)
	ofRow, ofColumn := make([]int64, n), make([]int64, n)
	rowOf, columnOf := make([]int, n), make([]int, n)
	for c := range rowOf {
		rowOf[c] = unmatched
	}
	slack := make([]int64, n) // least reduced weight from the tree to each column outside it
	from := make([]int, n)    // the column before it on that path; unmatched: the new row itself
	inside := make([]bool, n)
	for newRow := range n {
		for c := range n {
			slack[c], from[c], inside[c] = math.MaxInt64, unmatched, false
		}
		row, column := newRow, unmatched
		for {
			best := unmatched
			for c := range n {
				if inside[c] {
					continue
				}
				if reduced := weight[row][c] - ofRow[row] - ofColumn[c]; reduced < slack[c] {
					slack[c], from[c] = reduced, column
				}
				if best == unmatched || slack[c] < slack[best] {
					best = c
				}
			}
			step := slack[best]
			ofRow[newRow] += step
			for c := range n {
				if inside[c] {
					ofRow[rowOf[c]] += step
					ofColumn[c] -= step
				} else {
					slack[c] -= step
				}
			}
			column = best
			inside[column] = true
			if row = rowOf[column]; row == unmatched {
				break
			}
		}
		exchange(rowOf, from, column, newRow)
	}
	for c, row := range rowOf {
		columnOf[row] = c
	}
	return columnOf
}

// exchange gives every column of an augmenting path, which ends with the one given, the row of the
// column before it, and the first one the new row.
func exchange(rowOf, from []int, column, newRow int) {
	for column != unmatched {
		before := from[column]
		if rowOf[column] = newRow; before != unmatched {
			rowOf[column] = rowOf[before]
		}
		column = before
	}
}
