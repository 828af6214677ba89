//go:build !linux

package program

// together does nothing: this system chooses the processors of threads itself.
type together struct{}

func (*together) pair(int)  {}
func (*together) begin()    {}
func (*together) end()      {}
func (*together) hold(bool) {}
func (*together) release()  {}
