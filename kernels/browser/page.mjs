// page.mjs PLAYWRIGHT CHROMIUM FRONT: drives one page of Jupyter's, whose own ways are in FRONT.mjs. It reads a step a line from standard
// input, an object such as {"do": "click", "selector": "#run", "limit": 60000}, and answers each with a line: {"result": ...} or
// {"error": ...}. The end of input closes the browser. Cells are numbered from 1, as kernels.Execute does; times are in milliseconds.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [playwright, executablePath, front] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(join(playwright, 'index.mjs')));
const { default: notebook } = await import(`./${front}.mjs`);
const viewport = { width: 1280, height: 900 };
const browser = await chromium.launch({ executablePath });
const page = await browser.newPage({ viewport, ignoreHTTPSErrors: true });

// vlpxShown is, in the page, what an element shows that is a cell.
await page.addInitScript(() => {
	globalThis.vlpxShown = async (element, running, { output, errors, stderr, area }) => {
		const all = selector => [...element.querySelectorAll(selector)];
		const text = selector => all(selector).map(found => found.innerText).join('\n');
		const pictures = all(output).flatMap(found => [...found.querySelectorAll('img')]);
		await Promise.all(pictures.map(img => img.decode().catch(() => {}))); // a broken one is 0 pixels wide
		const beyond = all(area).map(found => Math.max(found.scrollWidth - found.clientWidth, found.scrollHeight - found.clientHeight));
		return {
			running,
			output: text(output),
			errors: text(errors),
			stderr: text(stderr),
			pictures: pictures.map(img => ({ width: img.naturalWidth, height: img.naturalHeight })),
			hidden: Math.max(0, ...beyond),
		};
	};
});

// What the page complained about, for the step "complaints". Some complaints belong to a sound page: Jupyter asks for ipywidgets
// where they are not installed, GoNB answers its own script on a comm that the page has not opened, that script tells when it connects
// anew, and JupyterLab's colours, each of which depends on others, go round in a circle.
const complaints = [];
const usual = /nbextensions\/widgets\/|Comm promise not found|gonb_comm|comm_open_ack|RangeError: Maximum call stack .*\/static\/lab\/page\.js/;
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

// until waits until a function, in the page, returns something. Playwright would have the page draw itself to ask it, sixty times a second.
const until = (holds, argument, options) => page.waitForFunction(holds, argument, { polling: 100, ...options });

// opened waits until the page shows the notebook at that path, and its kernel answers, which a busy one does not.
const opened = async (path, answers = true) => {
	await until(notebook.shown, path);
	if (answers) await until(notebook.ready);
	await page.evaluate(notebook.watch);
};

const steps = {
	async open({ url, path }) {
		await page.goto(url);
		await opened(path);
	},

	// show turns to another notebook in the same page, as JupyterLab can.
	async show({ path }) {
		await page.evaluate(path => { jupyterapp.commands.execute('docmanager:open', { path }); }, path);
		await opened(path);
	},

	// reload saves the notebook and loads the page again, whose kernel may be busy.
	async reload({ path }) {
		await page.evaluate(notebook.save);
		await page.reload();
		await opened(path, false);
	},

	// run starts these cells, or all of them, and does not wait for them.
	run: ({ cells }) => page.evaluate(notebook.run, cells),

	// finish waits until these cells, or all with code, are finished, and returns what each took.
	finish: async ({ cells, limit }) => (await until(notebook.took, cells, { timeout: limit })).jsonValue(),

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

	// press presses keys while the element that the selector finds has the focus, and returns its value then and where the notebook stands.
	async press({ selector, text, limit }) {
		const control = page.locator(selector);
		await control.focus({ timeout: limit });
		for (const key of text.split(' ')) await page.keyboard.press(key);
		await page.waitForTimeout(300);
		return { value: await control.inputValue(), ...await page.evaluate(notebook.place) };
	},

	place: () => page.evaluate(notebook.place),

	// complete writes code into the last cell, presses Tab until there is a menu, and returns what it offers.
	async complete({ text, limit }) {
		const editor = page.locator('.jp-CodeCell .cm-content').last();
		await editor.click();
		await page.keyboard.press('ControlOrMeta+a');
		for (const [k, line] of text.split('\n').entries()) {
			if (k > 0) await page.keyboard.press('Enter');
			await page.keyboard.type(line);
		}
		const offered = page.locator('.jp-Completer-item');
		for (const end = Date.now() + limit; ;) {
			await page.keyboard.press('Tab');
			try {
				await offered.first().waitFor({ timeout: 3000 });
				break;
			} catch (error) {
				if (Date.now() > end) throw error;
			}
		}
		const texts = await offered.allInnerTexts();
		await page.keyboard.press('Escape');
		return texts;
	},

	interrupt: () => page.evaluate(notebook.interrupt),

	// restart waits until the new kernel answers.
	restart: () => page.evaluate(notebook.restart),

	// cells returns what each cell shows.
	cells: async () => (await page.evaluate(notebook.cells)).map((cell, k) => ({ number: k + 1, ...cell })),

	complaints: () => complaints,

	// screenshot writes the whole notebook to a PNG: Jupyter's page scrolls inside, so the window grows for it.
	async screenshot({ path }) {
		const height = await page.evaluate(notebook.height);
		await page.setViewportSize({ ...viewport, height: Math.max(viewport.height, Math.ceil(height)) });
		await page.evaluate(notebook.height);
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
