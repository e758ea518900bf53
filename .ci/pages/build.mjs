// node build.mjs FOLDER: builds the pages from node_modules beside the working directory into FOLDER: the program with its styles, and
// what JupyterLab's server hands out by itself, the schemas of settings and the theme.
import { build } from 'esbuild';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const [folder] = process.argv.slice(2);
const { dependencies } = JSON.parse(await readFile('package.json'));
const packages = await Promise.all(Object.keys(dependencies).filter(name => name.includes('jupyter')).map(async name => {
	const dir = join('node_modules', name);
	return { name, dir, ...JSON.parse(await readFile(join(dir, 'package.json'))) };
}));

// A script imports an icon as text, a style refers to it as a picture; a style writes ~ before the name of a package.
const webpack = {
	name: 'webpack',
	setup({ onResolve, onLoad, resolve: find }) {
		onResolve({ filter: /^~/ }, ({ path, resolveDir, kind }) => find(path.slice(1), { resolveDir, kind }));
		onResolve({ filter: /\.svg$/ }, ({ path, resolveDir, kind }) =>
			kind === 'url-token' ? { path: resolve(resolveDir, path), namespace: 'picture' } : undefined);
		onLoad({ filter: /./, namespace: 'picture' }, async ({ path }) => ({ contents: await readFile(path), loader: 'dataurl' }));
	},
};
// Of these packages one copy each: a plugin finds what another one provides by an object of the package's.
const one = {};
for (const scope of ['@jupyter', '@jupyter-notebook', '@jupyterlab', '@lumino']) {
	for (const name of await readdir(join('node_modules', scope))) one[`${scope}/${name}`] = resolve('node_modules', scope, name);
}
const common = {
	bundle: true,
	logLevel: 'error',
	loader: { '.svg': 'text', '.woff': 'file', '.woff2': 'file', '.ttf': 'file', '.eot': 'file', '.png': 'dataurl', '.gif': 'dataurl' },
	plugins: [webpack],
	alias: one,
};
const styles = packages.filter(p => p.style || p.styleModule).map(({ name, styleModule, style }) => `import '${name}/${styleModule ?? style}';`);
await build({
	...common,
	stdin: { contents: [...styles, "import './page.js';"].join('\n'), resolveDir: '.', sourcefile: 'all.js' },
	entryNames: 'page',
	outdir: folder,
	format: 'esm',
	splitting: true,
	define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
});
for (const { name, dir, jupyterlab = {} } of packages) {
	if (jupyterlab.schemaDir) await cp(join(dir, jupyterlab.schemaDir), join(folder, 'schemas', name), { recursive: true });
	if (jupyterlab.themePath) {
		await build({ ...common, entryPoints: [join(dir, jupyterlab.themePath)], outfile: join(folder, 'themes', name, 'index.css') });
	}
}
