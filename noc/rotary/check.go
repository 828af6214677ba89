package rotary

func (n *Network) mustHold() {}
