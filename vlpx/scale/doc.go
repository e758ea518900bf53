// Package scale has the presets (tiny, mini, small, paper) and the settings that change them by name: data, training regime, sizes, and
// what each framework and method has at them. It knows no rows and no results. Package plan makes runs of it.
package scale
