package eval

// Metric names a number of a [Result].
type Metric string

// TR is text retrieval (an image asks for its captions), IR image retrieval (a caption asks for its image). Those of rankings are made
// by an entry each in views.go.
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
	TRTied Metric = "TR tied"
	IRRank Metric = "IR rank"
	IRTied Metric = "IR tied"

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

	JudgedAUC        Metric = "AUC"
	JudgedRecall5    Metric = "judged recall at .5"
	JudgedRecall8    Metric = "judged recall at .8"
	JudgedPrecision5 Metric = "judged precision at .5"
	JudgedPrecision8 Metric = "judged precision at .8"
)

// Groups of metrics of retrieval.
const (
	TextRetrieval  = "Text Retrieval"
	ImageRetrieval = "Image Retrieval"
	BothRetrievals = "Retrieval"
)

// Info tells a reader what a metric is.
type Info struct {
	Metric        Metric
	Group, Column string // heading in a table: "Text Retrieval" over "R@1"
	Unit          string // "%" or "" for a plain number
	LowerIsBetter bool
	What          string // one sentence
}

// Result holds the metrics that were measured; a metric that was not is absent.
type Result map[Metric]float64
