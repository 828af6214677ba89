package initramfs

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the numbers of a file's user and group.
func ownerOf(info fs.FileInfo) (user, group uint32) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Uid, s.Gid
	}
	return 0, 0
}
