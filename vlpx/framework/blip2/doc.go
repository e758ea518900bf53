// Package blip2 is BLIP-2 (Li et al., 2023): a Q-Former that learns to read a frozen image encoder by image-text contrast, matching and
// generation, and, in the second stage, to report a frozen language model what it sees.
package blip2
