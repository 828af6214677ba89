package twin

// model is a behaviour ready to be drawn from.
type model struct {
	states *chooser
	sizes  [accessKinds]sampler
	places [2]sampler
	gaps   [gapTables]drawer
	code   [codeClasses]sampler

	distances     [dataClasses]interval
	codeDistances [codeClasses]interval
}

func newModel(b *Behaviour) *model {
	m := new(model)
	m.states = newChooser(b.Contexts)
	rows(m.sizes[:], b.Sizes)
	rows(m.places[:], b.Places[:])
	rows(m.code[:], b.Code)
	newIntervals(m.distances[:], b.Distances, crowded)
	newIntervals(m.codeDistances[:], b.CodeDistances, crowdedCode)
	for i := range b.Gaps {
		m.gaps[i] = newDrawer(b.Gaps[i])
	}
	return m
}

// rows makes a sampler of each row; an empty row is like all rows together.
func rows(to []sampler, table [][]uint64) {
	var all []uint64
	for _, row := range table {
		for i, n := range row {
			for len(all) <= i {
				all = append(all, 0)
			}
			all[i] += n
		}
	}
	for i := range to {
		row := all
		if i < len(table) && len(table[i]) > 0 {
			row = table[i]
		}
		to[i] = newSampler(row)
	}
}
