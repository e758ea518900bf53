// JupyterLab 4 and Notebook 7. Each function runs in the page.
export default {
	shown: path => {
		const { context, sessionContext: session } = globalThis.jupyterapp?.shell.currentWidget ?? {};
		return context?.path === path && context.isReady && session.isReady && session.session?.kernel;
	},

	ready: () => ['idle', 'busy'].includes(jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status),

	watch() {
		let free = 0;
		for (const cell of jupyterapp.shell.currentWidget.content.widgets.filter(({ model }) => model.type === 'code')) {
			let sent = 0;
			cell.model.stateChanged.connect((_, { name, newValue }) => {
				if (name !== 'executionState') return;
				const now = performance.now();
				if (newValue === 'running') {
					sent = now;
					delete cell.took;
				} else {
					cell.took = now - Math.max(sent, free);
					free = now;
				}
			});
		}
	},

	async run(cells) {
		if (!cells) return void jupyterapp.commands.execute('notebook:run-all-cells');
		const { content } = jupyterapp.shell.currentWidget;
		for (const k of cells) {
			content.deselectAll();
			content.activeCellIndex = k - 1;
			delete content.activeCell.took;
			jupyterapp.commands.execute('notebook:run-cell');
			await null; // it takes the active cell
		}
	},

	took(cells) {
		const asked = jupyterapp.shell.currentWidget.content.widgets.filter(({ model }, k) =>
			cells ? cells.includes(k + 1) : model.type === 'code' && model.sharedModel.getSource().trim());
		return asked.every(cell => cell.took !== undefined) && asked.map(cell => cell.took);
	},

	interrupt: () => { jupyterapp.commands.execute('notebook:interrupt-kernel'); },

	restart: () => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(),

	save: () => jupyterapp.shell.currentWidget.context.save(),

	place: () => {
		const { content } = jupyterapp.shell.currentWidget;
		return { cells: content.widgets.length, chosen: content.activeCellIndex + 1 };
	},

	cells: () => Promise.all(jupyterapp.shell.currentWidget.content.widgets.map(cell => vlpxShown(cell.node, cell.model.executionState === 'running', {
		output: '.jp-OutputArea-output', errors: '[data-mime-type="application/vnd.jupyter.error"]',
		stderr: '[data-mime-type="application/vnd.jupyter.stderr"]', area: '.jp-OutputArea-output, .jp-OutputArea',
	}))),

	height: () => {
		const { content } = jupyterapp.shell.currentWidget;
		return content.node.getBoundingClientRect().top + content.widgets.reduce((sum, cell) => sum + cell.node.offsetHeight, 0) + 300;
	},
};
