// Package sweep runs the tasks of a grid beyond one process: side by side on this machine or on hosts by ssh, as job arrays of Slurm, or as
// an Indexed Job of Kubernetes. All of them start the same worker, which maps an integer to its task by a plan in the store, and all of
// them take the store's files for the truth about what is done.
//
// It knows nothing of training: package lab makes the plan of an artifact, and is the worker.
package sweep
