// Package weights reads published models into variables with our layouts, and writes variables as published models have them: a
// safetensors file, whose tensors have a PyTorch state_dict's names and layouts. What a name means stands in tables, one file a family,
// which read and write; a file's family is known by its names. A Source is a checkpoint by its content, found at Places by a path or by
// the name of one that is Known, which can be fetched.
//
// A new family is a file with its table and an entry in families.
package weights
