//go:build !linux

package main

func memoryFolder() string { return "" }
