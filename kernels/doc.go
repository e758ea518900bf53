// Package kernels brings vlpx into Jupyter: it installs the kernel "Go (vlpx)", GoNB started so that a cell imports this
// module as it lies in the checkout (Install, Uninstall), opens a Jupyter server with it (Serve), executes notebooks without
// a browser (Execute), and writes notebooks as files (Notebook).
//
// The kernel is GoNB itself, built from the versions that tools/go.mod pins: a module of its own, so that the tools stay
// out of the library's graph. Package proxy stands before it, and go.sh, goimports.sh and gopls.sh before the tools that it
// calls; docs/upstream tells why, for those who make GoNB. All of it, programs too, lies in the one folder of the kernelspec. What a cell
// shows is package vlpx's business, what the notebooks say is package notebooks'; this package imports nothing of vlpx.
package kernels
