// Package tags has the tables and figures of TAGS-DC (Fan et al., 2022), of which none is there yet.
package tags
