// Package tags has the tables and figures of TAGS-DC (Fan et al., 2022).
package tags
