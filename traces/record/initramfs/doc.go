// Package initramfs makes the file tree with which a Linux kernel starts: an archive in memory that
// the kernel unpacks into its first file system.
//
// There is one type, [Image]: files, folders, links and devices by path. Copy takes files of this
// machine along with the shared libraries and interpreters that they need; WriteTo writes the
// archive.
//
// Laws:
//
//   - The archive depends on paths, contents, permissions and owners alone: times are 0, and
//     entries are sorted, folders before what is in them.
//   - Files of this machine are read when the archive is written, and are never in memory whole.
//
// The format is cpio's "newc", as the kernel's documentation
// (Documentation/driver-api/early-userspace/ buffer-format.rst) describes it.
package initramfs
