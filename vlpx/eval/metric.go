package eval

// Metric names a number of a [Result].
type Metric string

// TR is text retrieval (an image asks for its captions), IR image retrieval (a caption asks for its image).
const (
	TR1    Metric = "TR@1"
	TR5    Metric = "TR@5"
	TR10   Metric = "TR@10"
	TRMean Metric = "TR mean"
	IR1    Metric = "IR@1"
	IR5    Metric = "IR@5"
	IR10   Metric = "IR@10"
	IRMean Metric = "IR mean"
	RMean  Metric = "R mean"
	RSum   Metric = "RSum"
	TRRank Metric = "TR rank"
	IRRank Metric = "IR rank"

	TR1True  Metric = "TR@1 true"
	TR5True  Metric = "TR@5 true"
	TR10True Metric = "TR@10 true"
	IR1True  Metric = "IR@1 true"
	IR5True  Metric = "IR@5 true"
	IR10True Metric = "IR@10 true"
	TRMAP    Metric = "TR mAP"
	IRMAP    Metric = "IR mAP"
	TR1False Metric = "TR@1 false"
	IR1False Metric = "IR@1 false"

	TRMAPR       Metric = "TR mAP@R"
	IRMAPR       Metric = "IR mAP@R"
	TRRPrecision Metric = "TR R-Precision"
	IRRPrecision Metric = "IR R-Precision"
	TR1ECCV      Metric = "TR@1 ECCV"
	TR5ECCV      Metric = "TR@5 ECCV"
	TR10ECCV     Metric = "TR@10 ECCV"
	IR1ECCV      Metric = "IR@1 ECCV"
	IR5ECCV      Metric = "IR@5 ECCV"
	IR10ECCV     Metric = "IR@10 ECCV"
	TR1CxC       Metric = "TR@1 CxC"
	TR5CxC       Metric = "TR@5 CxC"
	TR10CxC      Metric = "TR@10 CxC"
	IR1CxC       Metric = "IR@1 CxC"
	IR5CxC       Metric = "IR@5 CxC"
	IR10CxC      Metric = "IR@10 CxC"
	TR1Fold      Metric = "TR@1 1K"
	TR5Fold      Metric = "TR@5 1K"
	TR10Fold     Metric = "TR@10 1K"
	IR1Fold      Metric = "IR@1 1K"
	IR5Fold      Metric = "IR@5 1K"
	IR10Fold     Metric = "IR@10 1K"

	JudgedAUC        Metric = "AUC"
	JudgedRecall5    Metric = "judged recall at .5"
	JudgedRecall8    Metric = "judged recall at .8"
	JudgedPrecision5 Metric = "judged precision at .5"
	JudgedPrecision8 Metric = "judged precision at .8"
)

// Info tells a reader what a metric is.
type Info struct {
	Metric        Metric
	Group, Column string // heading in a table: "Text Retrieval" over "R@1"
	Unit          string // "%" or "" for a plain number
	LowerIsBetter bool
	What          string // one sentence
}

const (
	textRetrieval  = "Text Retrieval"
	imageRetrieval = "Image Retrieval"
	judgedPairs    = "Judged pairs"
)

// retrievalMetrics are first those of [Recall], then those that need the relation, of [TrueRecall], of [BenchmarkRecall] and of
// [Judged].
func retrievalMetrics() []Info {
	return []Info{
		{TR1, textRetrieval, "R@1", "%", false, "images with one of their captions ranked first"},
		{TR5, textRetrieval, "R@5", "%", false, "images with one of their captions among the first 5"},
		{TR10, textRetrieval, "R@10", "%", false, "images with one of their captions among the first 10"},
		{IR1, imageRetrieval, "R@1", "%", false, "captions with their image ranked first"},
		{IR5, imageRetrieval, "R@5", "%", false, "captions with their image among the first 5"},
		{IR10, imageRetrieval, "R@10", "%", false, "captions with their image among the first 10"},
		{TRMean, textRetrieval, "mean", "%", false, "mean of TR@1, TR@5 and TR@10"},
		{IRMean, imageRetrieval, "mean", "%", false, "mean of IR@1, IR@5 and IR@10"},
		{RMean, "Retrieval", "mean", "%", false, "mean of the six recalls"},
		{RSum, "Retrieval", "RSum", "", false, "sum of the six recalls"},
		{TRRank, textRetrieval, "mean rank", "", true, "mean over images of the rank of their best caption, from 1"},
		{IRRank, imageRetrieval, "mean rank", "", true, "mean over captions of the rank of their image, from 1"},
		{TR1True, textRetrieval, "R@1, all true", "%", false, "images with a caption that is true of them ranked first"},
		{TR5True, textRetrieval, "R@5, all true", "%", false, "images with a caption that is true of them among the first 5"},
		{TR10True, textRetrieval, "R@10, all true", "%", false, "images with a caption that is true of them among the first 10"},
		{IR1True, imageRetrieval, "R@1, all true", "%", false, "captions with an image they are true of ranked first"},
		{IR5True, imageRetrieval, "R@5, all true", "%", false, "captions with an image they are true of among the first 5"},
		{IR10True, imageRetrieval, "R@10, all true", "%", false, "captions with an image they are true of among the first 10"},
		{TRMAP, textRetrieval, "mAP", "%", false, "mean average precision over all captions true of an image"},
		{IRMAP, imageRetrieval, "mAP", "%", false, "mean average precision over all images a caption is true of"},
		{TR1False, textRetrieval, "R@1, against false", "%", false, "images whose best caption outranks every caption false of them"},
		{IR1False, imageRetrieval, "R@1, against false", "%", false, "captions whose image outranks every image they are false of"},
		{TRMAPR, textRetrieval, "mAP@R", "%", false,
			"image queries of ECCV with R listed captions: mean average precision down to place R"},
		{IRMAPR, imageRetrieval, "mAP@R", "%", false,
			"caption queries of ECCV with R listed images: mean average precision down to place R"},
		{TRRPrecision, textRetrieval, "R-Precision", "%", false, "image queries of ECCV with R listed captions: share of these among " +
			"the first R"},
		{IRRPrecision, imageRetrieval, "R-Precision", "%", false, "caption queries of ECCV with R listed images: share of these among " +
			"the first R"},
		{TR1ECCV, textRetrieval, "R@1, ECCV", "%", false, "image queries of ECCV with a listed caption ranked first"},
		{TR5ECCV, textRetrieval, "R@5, ECCV", "%", false, "image queries of ECCV with a listed caption among the first 5"},
		{TR10ECCV, textRetrieval, "R@10, ECCV", "%", false, "image queries of ECCV with a listed caption among the first 10"},
		{IR1ECCV, imageRetrieval, "R@1, ECCV", "%", false, "caption queries of ECCV with a listed image ranked first"},
		{IR5ECCV, imageRetrieval, "R@5, ECCV", "%", false, "caption queries of ECCV with a listed image among the first 5"},
		{IR10ECCV, imageRetrieval, "R@10, ECCV", "%", false, "caption queries of ECCV with a listed image among the first 10"},
		{TR1CxC, textRetrieval, "R@1, CxC", "%", false, "image queries of CxC with a listed caption ranked first"},
		{TR5CxC, textRetrieval, "R@5, CxC", "%", false, "image queries of CxC with a listed caption among the first 5"},
		{TR10CxC, textRetrieval, "R@10, CxC", "%", false, "image queries of CxC with a listed caption among the first 10"},
		{IR1CxC, imageRetrieval, "R@1, CxC", "%", false, "caption queries of CxC with a listed image ranked first"},
		{IR5CxC, imageRetrieval, "R@5, CxC", "%", false, "caption queries of CxC with a listed image among the first 5"},
		{IR10CxC, imageRetrieval, "R@10, CxC", "%", false, "caption queries of CxC with a listed image among the first 10"},
		{TR1Fold, textRetrieval, "R@1, 1K", "%", false, "TR@1 among 1,000 images and their captions, mean over the folds of the split"},
		{TR5Fold, textRetrieval, "R@5, 1K", "%", false, "TR@5 among 1,000 images and their captions, mean over the folds of the split"},
		{TR10Fold, textRetrieval, "R@10, 1K", "%", false, "TR@10 among 1,000 images and their captions, mean over the folds of the split"},
		{IR1Fold, imageRetrieval, "R@1, 1K", "%", false, "IR@1 among 1,000 images and their captions, mean over the folds of the split"},
		{IR5Fold, imageRetrieval, "R@5, 1K", "%", false, "IR@5 among 1,000 images and their captions, mean over the folds of the split"},
		{IR10Fold, imageRetrieval, "R@10, 1K", "%", false, "IR@10 among 1,000 images and their captions, mean over the folds of the split"},
		{JudgedAUC, judgedPairs, "AUC", "%", false, "couples of a true and a false pair, with captions of other images, scored in the " +
			"right order"},
		{JudgedRecall5, judgedPairs, "recall at .5", "%", false, "true pairs that image-text matching gives a probability of at least .5"},
		{JudgedRecall8, judgedPairs, "recall at .8", "%", false, "true pairs that image-text matching gives a probability of at least .8"},
		{JudgedPrecision5, judgedPairs, "precision at .5", "%", false, "true pairs among those of a probability of at least .5"},
		{JudgedPrecision8, judgedPairs, "precision at .8", "%", false, "true pairs among those of a probability of at least .8"},
	}
}

// Result holds the metrics that were measured; a metric that was not is absent.
type Result map[Metric]float64

// recalls adds R@1, 5 and 10 of the given ranks, in per cent.
func (r Result) recalls(ranks []int, at1, at5, at10 Metric) {
	r[at1], r[at5], r[at10] = within(ranks, 1), within(ranks, 5), within(ranks, 10)
}

// within is the share of ranks among the first k, in per cent.
func within(ranks []int, k int) float64 {
	hits := 0
	for _, rank := range ranks {
		if rank <= k {
			hits++
		}
	}
	return 100 * float64(hits) / float64(len(ranks))
}

// sums adds the means and the sum of the six recalls.
func (r Result) sums() {
	tr, ir := r[TR1]+r[TR5]+r[TR10], r[IR1]+r[IR5]+r[IR10]
	r[TRMean], r[IRMean] = tr/3, ir/3
	r[RMean], r[RSum] = (tr+ir)/6, tr+ir
}
