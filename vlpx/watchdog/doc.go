// Package watchdog reports work that is silent for far longer than before: it may wait for a file system, a device or an engine that
// answers no more. It ends nothing. It knows nothing of the work but when that asks its context whether to go on.
package watchdog
