package paper

import "vlpx.internal/vlpx/eval"

// GainAbove claims that one row's gain over another is above another row's over its own, in each of some metrics.
func GainAbove(better, over, than, itsOwn, source string, metrics ...eval.Metric) []Claim {
	claims := Above(better, than, source, metrics...)
	for k := range claims {
		claims[k].Over = [2]string{over, itsOwn}
	}
	return claims
}

// Above claims that one row is above another in each of some metrics.
func Above(better, than, source string, metrics ...eval.Metric) []Claim {
	var claims []Claim
	for _, m := range metrics {
		claims = append(claims, Claim{Better: better, Than: than, In: ColumnOf(m), Source: source})
	}
	return claims
}

// AboveIn claims that one row is above another in columns.
func AboveIn(better, than, source string, columns ...Column) []Claim {
	var claims []Claim
	for _, c := range columns {
		claims = append(claims, Claim{Better: better, Than: than, In: c, Source: source})
	}
	return claims
}

// AboveByCosine claims that one row is above another in image retrieval by cosine.
func AboveByCosine(better, than string) []Claim {
	return []Claim{{Better: better, Than: than, In: Cosine(eval.IRMAP)}, {Better: better, Than: than, In: Cosine(eval.IR1False)}}
}

// HardnessClaims are that one row is above another in image retrieval: in R@1 after re-ranking, and by all true pairs without it.
func HardnessClaims(better, than string) []Claim {
	return []Claim{{Better: better, Than: than, In: ColumnOf(eval.IR1)}, {Better: better, Than: than, In: Cosine(eval.IRMAP)}}
}
