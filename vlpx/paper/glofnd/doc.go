// Package glofnd has the tables and figures of GloFND (Balmaseda et al., 2025), of which none is there yet.
package glofnd
