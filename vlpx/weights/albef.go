package weights

import "vlpx.internal/vlpx/encoder"

// ALBEF is the model that ALBEF, GRIT-VLP and MAFA pre-train, without its momentum copy.
//
//   - root: the scope of albef.Model.EncodeImage, such as framework.Model.
func ALBEF(root string) Table {
	return Join(dual("", "bert.", root), MaskedWords("text_encoder.cls.", root+"/text"), Table{Rules: heads(root)})
}

// ALBEFMomentum is the momentum copy beside ALBEF, which has no temperature and no head for ITM.
func ALBEFMomentum(root string) Table {
	return Join(dual("_m", "bert.", root), MaskedWords("text_encoder_m.cls.", root+"/text"))
}

// Retrieval is the model that ALBEF and MAFA's Con-D fine-tune for retrieval: ALBEF without the head for MLM.
func Retrieval(root string) Table { return Join(dual("", "", root), Table{Rules: heads(root)}) }

// RetrievalMomentum is the momentum copy beside Retrieval.
func RetrievalMomentum(root string) Table { return dual("_m", "", root) }

// Queues are the buffers of ALBEF's momentum queues, which depend on the batch size and are read by name.
var Queues = Table{Ignored: []string{"image_queue", "text_queue", "idx_queue", "queue_ptr"}}

// dual are the two encoders and their projections.
func dual(momentum, bert, root string) Table {
	return Join(ViT("visual_encoder"+momentum+".", root+"/vision"), BERT("text_encoder"+momentum+"."+bert, root+"/text"),
		Table{Rules: append(linear(root+"/vision_projection", "vision_proj"+momentum),
			linear(root+"/text_projection", "text_proj"+momentum)...)})
}

// heads are the temperature and the head for ITM.
func heads(root string) []Rule {
	return append(linear(root+"/itm", "itm_head"), Rule{root + "/" + encoder.Temperature, Same, []string{"temp"}})
}
