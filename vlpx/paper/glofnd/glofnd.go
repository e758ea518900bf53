package glofnd

import (
	"slices"

	"vlpx.internal/vlpx/paper"
)

// Artifacts are the artifacts of GloFND (Balmaseda et al., 2025).
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	{ID: "glofnd/table1", Title: "Linear evaluation at four shares of labels; precision, recall and F1 of the false negatives found"},
	{ID: "glofnd/table2", Title: "Transfer by logistic regression to other data sets"},
	{ID: "glofnd/table3", Title: "Bimodal zero-shot suite"},
	{ID: "glofnd/table4", Title: "Hyper-parameters"},
	{ID: "glofnd/table5", Title: "p-values of paired t-tests over seeds, unimodal"},
	{ID: "glofnd/table6", Title: "p-values of paired t-tests over seeds, bimodal"},
	{ID: "glofnd/table7", Title: "SimCLR with and without GloFND"},
	{ID: "glofnd/table8", Title: "Fine-tuning a pre-trained CLIP"},
	{ID: "glofnd/figure1", Title: "Anchors with the false negatives found"},
	{ID: "glofnd/figure5", Title: "Anchors with the false negatives found by GloFND and FNC"},
	{ID: "glofnd/figure6", Title: "Anchors with the false negatives found, further examples"},
	{ID: "glofnd/tsne", Title: "t-SNE of the embeddings without and with GloFND"},
	{ID: "glofnd/lambda", Title: "Learned thresholds against the exact quantile and FNC's"},
	{ID: "glofnd/predfn", Title: "Share predicted false over training"},
	{ID: "glofnd/warmup", Title: "Start epoch"},
	{ID: "glofnd/batchwise", Title: "One threshold against one for each anchor"},
	{ID: "glofnd/stats", Title: "Precision, recall and F1 per epoch; overhead per epoch"},
}
