// Package disk is how stores, checkpoints, locks, caches, exports, archives and sweeps write and read files. What is whole or not at
// all, and there after a loss of power, is so by this package. A test puts a [Watcher] in its way that makes single operations fail.
package disk
