// Package kernels brings vlpx into Jupyter: it installs the kernel "Go (vlpx)", GoNB started so that a cell imports this
// module as it lies in the checkout, writes notebooks as files, and executes them without a browser.
//
// The kernel is GoNB itself, built from the versions that tools/go.mod pins: a module of its own, so that the tools stay
// out of the library's graph. What a cell shows is package vlpx's business, what the notebooks say is package notebooks';
// this package imports nothing of vlpx.
package kernels
