// Package framework wires encoders and heads into whole models as the papers do: ALBEF so far. A framework builds the graph
// of one training step's losses from a mini-batch and a method, and the graphs that evaluation needs. It does not train.
package framework
