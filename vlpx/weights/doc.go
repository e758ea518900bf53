// Package weights reads published models: a safetensors file, whose tensors have a PyTorch state_dict's names and layouts, into
// variables with ours. What a name means stands in tables, one file a family.
package weights
