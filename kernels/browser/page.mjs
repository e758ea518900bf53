// page.mjs PLAYWRIGHT CHROMIUM: drives one page of the classic notebook. It reads a step a line from standard input, an object
// such as {"do": "click", "selector": "#run", "limit": 60000}, and answers each with a line: {"result": ...} or {"error": ...}.
// The end of input closes the browser. Cells are numbered from 1, as kernels.Execute does; times are in milliseconds.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [playwright, executablePath] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(join(playwright, 'index.mjs')));
const viewport = { width: 1280, height: 900 };
const browser = await chromium.launch({ executablePath });
const page = await browser.newPage({ viewport });

// What the page complained about, for the step "complaints". Some complaints belong to a sound page: Jupyter asks for ipywidgets
// where they are not installed, GoNB answers its own script on a comm that the page has not opened, and that script tells when it
// connects anew.
const complaints = [];
const usual = /nbextensions\/widgets\/|Comm promise not found|gonb_comm|comm_open_ack/;
const complain = text => { if (!usual.test(text)) complaints.push(text); };
page.on('console', message => {
	if (message.type() === 'error') complain(`console: ${message.text()} (${message.location().url})`);
});
page.on('pageerror', error => complain(`script: ${error.stack ?? error}`));
page.on('response', response => {
	if (response.status() >= 400) complain(`HTTP ${response.status()}: ${response.url()}`);
});
page.on('request', request => {
	const { protocol, hostname } = new URL(request.url());
	if (protocol.startsWith('http') && hostname !== '127.0.0.1') complain(`not from this machine: ${request.url()}`);
});

const steps = {
	// open shows the notebook and waits until its kernel answers. From then on cell.took is how long a finished cell took: from
	// when it could start, that is, when it was sent or the cell before it was finished.
	async open({ url }) {
		await page.goto(url);
		await page.waitForFunction(() => globalThis.Jupyter?.notebook?.kernel?.info_reply?.status && Jupyter.notebook._fully_loaded);
		await page.evaluate(() => {
			let free = 0;
			Jupyter.notebook.events.on('execute.CodeCell', (_, { cell }) => {
				cell.sent = performance.now();
				delete cell.took;
			});
			Jupyter.notebook.events.on('finished_execute.CodeCell', (_, { cell }) => {
				const now = performance.now();
				cell.took = now - Math.max(cell.sent, free);
				free = now;
			});
		});
	},

	// run starts these cells, or all of them, and does not wait for them.
	run: ({ cells }) => page.evaluate(cells => {
		if (!cells) return Jupyter.notebook.execute_all_cells();
		Jupyter.notebook.execute_cells(cells.map(k => k - 1));
	}, cells),

	// finish waits until these cells, or all with code, are finished, and returns what each took.
	async finish({ cells, limit }) {
		const took = await page.waitForFunction(cells => {
			const asked = Jupyter.notebook.get_cells().filter((cell, k) =>
				cells ? cells.includes(k + 1) : cell.cell_type === 'code' && cell.get_text().trim());
			return asked.every(cell => cell.took !== undefined) && asked.map(cell => cell.took);
		}, cells, { timeout: limit });
		return took.jsonValue();
	},

	// wait waits until an element that the selector finds contains the text.
	wait: ({ selector, text, limit }) =>
		page.locator(selector).filter({ hasText: text }).first().waitFor({ timeout: limit }),

	click: ({ selector, limit }) => page.locator(selector).click({ timeout: limit }),

	// set gives a control its value, as a user would: a choice of a select by its label, a range or a text box by its value.
	async set({ selector, value, limit }) {
		const control = page.locator(selector);
		const kind = await control.evaluate(element => element.tagName, null, { timeout: limit });
		if (kind === 'SELECT') await control.selectOption(value, { timeout: limit });
		else await control.fill(value, { timeout: limit });
	},

	interrupt: () => page.evaluate(() => { Jupyter.notebook.kernel.interrupt(); }),

	// restart waits until the new kernel answers.
	restart: () => page.evaluate(() => new Promise((resolve, reject) => {
		Jupyter.notebook.events.one('kernel_ready.Kernel', () => resolve());
		Jupyter.notebook.kernel.restart(undefined, (_, status, error) => reject(new Error(`restart: ${status} ${error}`)));
	})),

	// cells returns what each cell shows.
	cells: () => page.evaluate(() => Promise.all(Jupyter.notebook.get_cells().map(async (cell, k) => {
		const all = selector => [...cell.element[0].querySelectorAll(selector)];
		const text = selector => all(selector).map(element => element.innerText).join('\n');
		const pictures = all('.output img');
		await Promise.all(pictures.map(img => img.decode().catch(() => {}))); // a broken one is 0 pixels wide
		const beyond = all('.output_subarea, .output_scroll').map(area =>
			Math.max(area.scrollWidth - area.clientWidth, area.scrollHeight - area.clientHeight));
		return {
			number: k + 1,
			running: cell.element.hasClass('running'),
			output: text('.output'),
			errors: text('.output_error'),
			stderr: text('.output_stderr'),
			pictures: pictures.map(img => ({ width: img.naturalWidth, height: img.naturalHeight })),
			hidden: Math.max(0, ...beyond),
		};
	}))),

	complaints: () => complaints,

	// screenshot writes the whole notebook to a PNG: Jupyter's page scrolls inside, so the window grows for it.
	async screenshot({ path }) {
		const height = await page.evaluate(() => {
			const site = document.querySelector('#site');
			return site ? site.getBoundingClientRect().top + document.querySelector('#notebook-container').offsetHeight + 40 : 0;
		});
		await page.setViewportSize({ ...viewport, height: Math.max(viewport.height, Math.ceil(height)) });
		await page.evaluate(() => document.querySelector('#site')?.scrollTo(0, 0));
		await page.screenshot({ path, timeout: 0 });
		await page.setViewportSize(viewport);
	},
};

for await (const line of createInterface({ input: process.stdin })) {
	const step = JSON.parse(line);
	let answer;
	try {
		page.setDefaultTimeout(step.limit);
		answer = { result: await steps[step.do](step) ?? null };
	} catch (error) {
		answer = { error: String(error.message ?? error) };
	}
	console.log(JSON.stringify(answer));
}
await browser.close();
