// Package browser tests notebooks as a reader meets them: Jupyter's page in headless Chromium, with the kernel "Go (vlpx)". It
// holds tests only. page.mjs drives the page with playwright-core and takes its steps from Session.
package browser
