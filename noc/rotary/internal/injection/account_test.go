package injection

import "testing"

// TestAccount: an interface earns a cycle per cycle, pays shares of lengths, and cannot save.
func TestAccount(t *testing.T) {
	var a Account
	for range 7 { // 42 cycles
		a.Charge(10, 5, 120)
	}
	if got := a.Solvent(40); got != 12 {
		t.Errorf("42 cycles charged in cycle 10: solvent with a slack of 40 in cycle %d, want 12", got)
	}
	if a.Charge(100, 5, 100); a.Solvent(0) != 105 {
		t.Errorf("5 cycles charged in cycle 100: solvent in cycle %d, want 105", a.Solvent(0))
	}
	if (&Account{}).Solvent(0) != 0 {
		t.Error("an account that was never charged owes something")
	}
}
