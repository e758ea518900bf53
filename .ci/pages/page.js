// One program for both pages: JupyterLab, or a notebook in Notebook 7 where the server says notebookPage.
import { JupyterLab } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { NotebookApp } from '@jupyter-notebook/application';
import * as javascript from '@jupyterlab/javascript-extension';

import * as application from '@jupyterlab/application-extension';
import * as apputils from '@jupyterlab/apputils-extension';
import * as cellToolbar from '@jupyterlab/cell-toolbar-extension';
import * as codemirror from '@jupyterlab/codemirror-extension';
import * as completer from '@jupyterlab/completer-extension';
import * as docmanager from '@jupyterlab/docmanager-extension';
import * as documentsearch from '@jupyterlab/documentsearch-extension';
import * as filebrowser from '@jupyterlab/filebrowser-extension';
import * as lsp from '@jupyterlab/lsp-extension';
import * as mainmenu from '@jupyterlab/mainmenu-extension';
import * as markedparser from '@jupyterlab/markedparser-extension';
import * as notebook from '@jupyterlab/notebook-extension';
import * as rendermime from '@jupyterlab/rendermime-extension';
import * as running from '@jupyterlab/running-extension';
import * as shortcuts from '@jupyterlab/shortcuts-extension';
import * as statusbar from '@jupyterlab/statusbar-extension';
import * as themeLight from '@jupyterlab/theme-light-extension';
import * as toc from '@jupyterlab/toc-extension';
import * as tooltip from '@jupyterlab/tooltip-extension';
import * as translation from '@jupyterlab/translation-extension';
import * as uiComponents from '@jupyterlab/ui-components-extension';

import * as application7 from '@jupyter-notebook/application-extension';
import * as docmanager7 from '@jupyter-notebook/docmanager-extension';
import * as notebook7 from '@jupyter-notebook/notebook-extension';

const plugins = module => [module.default].flat();
const named = ({ id }) => id.split(':')[1];
const but = (module, ...names) => plugins(module).filter(plugin => !names.includes(named(plugin)));
const only = (module, ...names) => plugins(module).filter(plugin => names.includes(named(plugin)));

// What needs a package that is not here: language servers that of the server's, editing of raw cells' types the form of metadata.
const lacking = ['language-server', 'update-raw-mimetype'];

const both = [cellToolbar, codemirror, completer, markedparser, shortcuts, themeLight, translation, uiComponents].flatMap(plugins).concat(only(tooltip, 'manager', 'notebooks'));

const lab = [
	...[application, docmanager, documentsearch, filebrowser, lsp, mainmenu, rendermime, running, statusbar, toc].flatMap(plugins),
	...but(apputils, 'announcements', 'announcement'), // they ask the network
	...but(notebook, ...lacking),
];

const seven = [
	...[application7, docmanager7, notebook7].flatMap(plugins),
	...only(application, 'commands', 'context-menu', 'router', 'top-bar'),
	...only(apputils, 'kernels-settings', 'notification', 'palette', 'resolver', 'sanitizer', 'sessionDialogs', 'settings', 'settings-connector',
		'state', 'themes', 'toolbar-registry', 'utilityCommands'),
	...only(docmanager, 'contexts', 'dialogs', 'download', 'manager', 'plugin'),
	...only(documentsearch, 'plugin'),
	...only(filebrowser, 'default-file-browser', 'factory'),
	...only(mainmenu, 'plugin'),
	...only(rendermime, 'plugin'),
	...but(notebook, ...lacking, 'active-cell-tool', 'copy-output', 'execution-indicator', 'kernel-status', 'toc', 'tools'),
];

const isSeven = PageConfig.getOption('notebookPage') !== '';
const mimeExtensions = [javascript];
const app = isSeven ? new NotebookApp({ mimeExtensions }) : new JupyterLab({ mimeExtensions });
app.registerPlugins([...both, ...(isSeven ? seven : lab)]);
await app.start();
await app.restored;
globalThis.jupyterapp = app; // the name under which Jupyter itself exposes it to tests
