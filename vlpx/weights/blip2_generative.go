package weights

// Generative is the model of BLIP-2's second stage in LAVIS's names but for its image encoder and its Q-Former: a frozen OPT, and what brings
// queries to its width.
//
//   - root: the scope of blip2.Generative's variables, such as framework.Model.
func Generative(root string) Table {
	return Join(OPT("opt_model.model.decoder.", "opt_model.lm_head.weight", root+"/language"), Table{Rules: linear(root+"/language_projection", "opt_proj")})
}

// HubGenerative is Generative in Hugging Face's names.
func HubGenerative(root string) Table {
	return Join(OPT("language_model.model.decoder.", "language_model.lm_head.weight", root+"/language"),
		Table{Rules: linear(root+"/language_projection", "language_projection")})
}
