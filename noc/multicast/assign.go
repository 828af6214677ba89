package multicast

import "math"

// assign solves the assignment problem: it pairs every row of a square matrix with a column of its
// own so that the sum of the chosen weights is least, and returns the column of each row.
//
// This is the Hungarian method with potentials, O(n^3). Rows join the matching one at a time. For
// each, a shortest augmenting path is grown over the reduced weights weight - ofRow - ofColumn,
// which stay at least 0 and are 0 along the matching; then the pairs along the path are exchanged.
// Rows and columns count from 1 here; 0 is no row, and the column of the new row.
func assign(weight [][]int64) []int {
	n := len(weight)
	ofRow, ofColumn := make([]int64, n+1), make([]int64, n+1)
	slack := make([]int64, n+1) // least reduced weight from the tree to each column outside it
	rowOf, from := make([]int, n+1), make([]int, n+1)
	inside := make([]bool, n+1)
	for newRow := 1; newRow <= n; newRow++ {
		for c := range slack {
			slack[c], inside[c] = math.MaxInt64, false
		}
		rowOf[0] = newRow
		column := 0
		for rowOf[column] != 0 {
			inside[column] = true
			row, best := rowOf[column], 0
			for c := 1; c <= n; c++ {
				if inside[c] {
					continue
				}
				if reduced := weight[row-1][c-1] - ofRow[row] - ofColumn[c]; reduced < slack[c] {
					slack[c], from[c] = reduced, column
				}
				if best == 0 || slack[c] < slack[best] {
					best = c
				}
			}
			step := slack[best]
			for c := range slack {
				if inside[c] {
					ofRow[rowOf[c]] += step
					ofColumn[c] -= step
				} else {
					slack[c] -= step
				}
			}
			column = best
		}
		for ; column != 0; column = from[column] {
			rowOf[column] = rowOf[from[column]]
		}
	}
	columnOf := make([]int, n)
	for c, row := range rowOf[1:] {
		columnOf[row-1] = c
	}
	return columnOf
}
