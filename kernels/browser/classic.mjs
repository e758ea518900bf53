// The classic notebook. Each function runs in the page.
export default {
	// shown tells whether the page shows the notebook at that path, connected to a kernel.
	shown: path => {
		const notebook = globalThis.Jupyter?.notebook;
		return notebook?.notebook_path === path && notebook._fully_loaded && notebook.kernel?.is_connected();
	},

	// ready tells whether the kernel has answered.
	ready: () => Jupyter.notebook.kernel?.info_reply?.status,

	// watch keeps from now on how long a finished cell took in cell.took: from when it could start, that is, when it was sent or the cell
	// before it was finished.
	watch() {
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
	},

	run(cells) {
		if (!cells) return Jupyter.notebook.execute_all_cells();
		Jupyter.notebook.execute_cells(cells.map(k => k - 1));
	},

	// took is what these cells, or all with code, took; false while one is not finished.
	took(cells) {
		const asked = Jupyter.notebook.get_cells().filter((cell, k) =>
			cells ? cells.includes(k + 1) : cell.cell_type === 'code' && cell.get_text().trim());
		return asked.every(cell => cell.took !== undefined) && asked.map(cell => cell.took);
	},

	interrupt: () => { Jupyter.notebook.kernel.interrupt(); },

	restart: () => new Promise((resolve, reject) => {
		Jupyter.notebook.events.one('kernel_ready.Kernel', () => resolve());
		Jupyter.notebook.kernel.restart(undefined, (_, status, error) => reject(new Error(`restart: ${status} ${error}`)));
	}),

	save: () => Jupyter.notebook.save_notebook(),

	// place is where the notebook stands: how many cells it has, and which one is chosen.
	place: () => ({ cells: Jupyter.notebook.get_cells().length, chosen: Jupyter.notebook.get_selected_index() + 1 }),

	cells: () => Promise.all(Jupyter.notebook.get_cells().map(cell => vlpxShown(cell.element[0], cell.element.hasClass('running'), {
		output: '.output', errors: '.output_error', stderr: '.output_stderr', area: '.output_subarea, .output_scroll',
	}))),

	// height is how high the window must be to show the whole notebook, which scrolls inside the page.
	height() {
		const site = document.querySelector('#site');
		site?.scrollTo(0, 0);
		return site ? site.getBoundingClientRect().top + document.querySelector('#notebook-container').offsetHeight + 40 : 0;
	},
};
