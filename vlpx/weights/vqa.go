package weights

// VQA is the model that ALBEF fine-tunes for visual question answering, without its momentum copy: encoders, and a decoder of answers.
//
//   - root: the scope of albef.Answering's variables, such as framework.Model.
func VQA(root string) Table { return answering("", root) }

// VQAMomentum is the momentum copy beside VQA.
func VQAMomentum(root string) Table { return answering("_m", root) }

func answering(momentum, root string) Table {
	return Join(ViT("visual_encoder"+momentum+".", root+"/vision"), BERT("text_encoder"+momentum+".", root+"/text"),
		BERT("text_decoder"+momentum+".bert.", root+"/decoder"), MaskedWords("text_decoder"+momentum+".cls.", root+"/decoder"))
}
