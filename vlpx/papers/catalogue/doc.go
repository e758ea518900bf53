// Package catalogue lists the artifacts of all papers' packages and finds one by its ID.
package catalogue
