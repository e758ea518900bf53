// Package srcl has the tables and figures of SRCL, similarity-regulated contrastive learning (Jiang et al., 2023).
package srcl

// Title is the title of the paper.
const Title = "SRCL: Vision Language Pre-training by Contrastive Learning with Cross-Modal Similarity Regulation"
