// Package srcl has the tables and figures of SRCL, similarity-regulated contrastive learning (Jiang et al., 2023).
package srcl
