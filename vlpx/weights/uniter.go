package weights

// UNITER is the model that UNITER pre-trains (Chen et al., 2020), without its heads for masked regions.
//
//   - root: the scope of uniter.Model.Encode, such as framework.Model.
func UNITER(root string) Table {
	text, regions := root+"/text", root+"/regions"
	rules := append(linear(text+"/pooler", "uniter.pooler.dense"), linear(root+"/itm", "itm_output")...)
	return Join(BERT("uniter.", text), MaskedWords("cls.", text), Table{Rules: rules}.with("uniter.img_embeddings.", map[string]string{
		"img_layer_norm": regions + "/features/norm", "pos_layer_norm": regions + "/geometry/norm", "LayerNorm": regions + "/norm",
	}, map[string][]string{
		regions + "/features/in": {"img_linear"}, regions + "/geometry/in": {"pos_linear"},
	}), Table{Ignored: []string{"uniter.img_embeddings.mask_embedding.weight", "feat_regress.*", "region_classifier.*", "nsp2.*"}})
}

// UNITERForRetrieval is UNITER with the head for scores that its fine-tuning for retrieval has (METHODS.md 12).
//
//   - root: as UNITER's.
func UNITERForRetrieval(root string) Table {
	return Join(UNITER(root), Table{Rules: linear(root+"/rank", "rank_output")})
}
