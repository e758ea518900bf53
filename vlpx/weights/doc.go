// Package weights reads published models into variables, and writes variables as published models have them: a safetensors file, whose
// tensors have a PyTorch state_dict's names and layouts. What a name means stands in tables, one file a family; the same tables read
// and write.
package weights
