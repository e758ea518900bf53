package paper

// srcl are the artifacts of SRCL (Jiang et al., 2023).
var srcl = []Artifact{
	{ID: "srcl/table1", Title: "Removing negatives below a weight threshold"},
	{ID: "srcl/table2", Title: "Fine-tuned retrieval"},
	{ID: "srcl/table3", Title: "VQA and NLVR2"},
	{ID: "srcl/table4", Title: "Zero-shot retrieval"},
	{ID: "srcl/table5", Title: "Fine-tuning hyper-parameters"},
	{ID: "srcl/figure3", Title: "Distribution of the weights"},
	{ID: "srcl/figure4", Title: "Retrieval against amount of pre-training data"},
	{ID: "srcl/figure5", Title: "Retrieval examples"},
	{ID: "srcl/figure6", Title: "Weights of a batch as a heat map"},
	{ID: "srcl/figure7", Title: "Negatives with low weight"},
	{ID: "srcl/figure8", Title: "Negatives with low weight, further examples"},
}
