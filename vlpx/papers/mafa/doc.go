// Package mafa has the tables and figures of MAFA, which mines connections among hard negatives (Byun et al., 2024).
package mafa

// Title is the title of the paper.
const Title = "MAFA: Managing False Negatives for Vision-Language Pre-training"
