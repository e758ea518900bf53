// Package objective holds the losses on tensors: image-text contrastive (ITC), image-text matching (ITM), masked
// language modelling (MLM) and language modelling (LM), and the masking that MLM needs. They are free functions of nodes;
// what is done about negatives is the business of package negative, which calls them.
package objective
