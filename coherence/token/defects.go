package token

// defect is a mistake that tests seed to see the checks find it. Outside tests it is always noDefect.
type defect uint8

const (
	noDefect      defect = iota
	extraToken           // a response carries one token more than was taken
	dropOrphan           // tokens that nobody wants vanish
	keepValid            // the valid bit survives the last token
	trustTokens          // tokens without data make a line valid
	unordered            // persistent messages are not sent in order
	payFirst             // a starver is paid before the own satisfied access completes
	forgetEnd            // a persistent request that ordinary tokens satisfied is never ended
	promiseTwice         // the memory gives tokens away while a read is to take them along
	trustMemory          // a clean owner token that meets a starver at the memory is sent on without data
	forgetPayment        // a deactivation does not make its receiver pay the next starver
)
