// Package scheduler holds FALCON's scheduler (METHODS.md 14): what it sees of a search space, the policy that decides how hard
// the next negative of an anchor is to be, and how the policy learns from the fall of the MLM loss.
//
// All of it is host code on plain slices, between the steps of training: it knows nothing of methods, engines or datasets and
// imports only vlpx/random.
package scheduler
