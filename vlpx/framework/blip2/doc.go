// Package blip2 is the first stage of BLIP-2 (Li et al., 2023): a Q-Former that learns to read a frozen image encoder by image-text contrast,
// matching and generation. The second stage, a frozen language model behind the queries, is no part of it.
package blip2
