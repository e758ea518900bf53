// Package proxy stands between a Jupyter client and GoNB on the shell channel, where it answers what GoNB leaves without an answer:
// is_complete_request, for which Jupyter's console and tests wait, history_request and comm_info_request
// (docs/upstream/gonb-unanswered.md).
//
// It passes the bytes of each connection on as they are, but for a few messages. Such a request goes to GoNB as a kernel_info_request
// under the same identity, and GoNB's answer to that comes back as the reply: so the answer keeps its place among those to other
// requests, and GoNB tells when it is busy and when it is not. A complete_reply with an error gets the fields of one
// (docs/upstream/gonb-complete-error.md). The other channels are GoNB's own, and so is the heartbeat. The package knows nothing of
// vlpx, and needs nothing but Go's library.
package proxy
