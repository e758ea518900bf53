// Package store keeps runs in a folder, each in a folder named by its identity. It knows how a run's folder is taken, written, read,
// removed and packed into an archive. What the files say is known to package run, which gives each its name.
package store
