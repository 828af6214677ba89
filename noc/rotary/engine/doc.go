// Package engine is the rotary router of package rotary, made fast.
package engine
