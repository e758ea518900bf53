// Package faults makes single operations on files fail, each of a program's in turn, and holds that nothing is lost by it. It is for tests.
package faults
