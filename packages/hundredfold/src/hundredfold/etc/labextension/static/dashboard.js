// The lab's half of `hundredfold.notebook.dashboard` (Dask's plots beside a notebook, showing that notebook's own cluster) and of
// `hundredfold.classroom.seats.notice` (what a hub has to tell a learner); the buttons that lead from a unit's notebook to the others and to the
// start page; and the drawings: their colours, and those that can be touched.
//
// A notebook that says `"dashboard": true` in its metadata has the plots opened beside it. The kernel of any notebook tells
// through a comm where the dashboard of its cluster is; the plots (dask-labextension's) are pointed there, and follow from
// notebook to notebook. Written by hand as the container that JupyterLab loads, so that no JavaScript has to be built.
"use strict";
(() => {
  const NAME = "hundredfold"; // as in package.json
  const TARGET = "hundredfold.notebook.dashboard"; // as in hundredfold/notebook/dashboard.py
  const NARROWEST = 900; // CSS pixels; beside a notebook in a narrower window there is no room for plots

  const NOTICE = "https://hundredfold.invalid/notice"; // as in hundredfold/classroom/seats/notice.py

  const PAUSE = 1000; // ms
  const TRIES = 5;

  const PLOTS = [
    { route: "/individual-task-stream", label: "Task Stream" },
    { route: "/individual-progress", label: "Progress" },
    { route: "/individual-workers-memory", label: "Workers Memory" },
  ];
  const GPU_PLOTS = [
    { route: "/individual-gpu-memory", label: "GPU Memory" },
    { route: "/individual-gpu-utilization", label: "GPU Utilization" },
  ];

  let shared; // what JupyterLab shares: package → version → {get}

  async function load(name) {
    const versions = Object.values(shared[name]);
    const version = versions.find((each) => each.loaded) || versions[0];
    return (await version.get())();
  }

  /** Ask a route of ours. A plain `fetch` lacks the token against forged requests, and a hub's server takes it for a stranger's. */
  async function ask(app, route) {
    const { ServerConnection } = await load("@jupyterlab/services");
    const settings = app.serviceManager.serverSettings;
    return ServerConnection.makeRequest(`${settings.baseUrl}hundredfold/${route}`, {}, settings);
  }

  function activate(app, notebooks) {
    const told = new WeakMap(); // notebook panel → what its kernel said last
    let restored = false;
    app.restored.then(() => {
      restored = true;
    });

    /** Open plots on the right of a notebook, one below the other, and leave the learner in the notebook. */
    async function open(panel, plots) {
      if (window.innerWidth < NARROWEST || !app.commands.hasCommand("dask:launch-dashboard")) return;
      let above = null;
      for (const { route, label } of plots) {
        const options = above ? { mode: "split-bottom", ref: above } : { mode: "split-right", ref: panel.id };
        const item = { route, label, key: label };
        // One that is open already is not moved, and is not told to us.
        const widget = await app.commands.execute("dask:launch-dashboard", { item, options });
        above = widget ? widget.id : above;
      }
      app.shell.activateById(panel.id);
    }

    /**
     * Point the plots to the cluster of this notebook, if it is the one in use and has one.
     *
     * dask-labextension first asks whether there is a dashboard; when two addresses follow each other quickly, the answer to
     * the first may come last and win. So look at what came of it, and say it again.
     */
    async function show(panel) {
      await app.restored; // until then, first this and then that notebook is in use
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const said = told.get(panel);
        if (notebooks.currentWidget !== panel || panel.isDisposed || !said || !said.url) return;
        const address = said.url.replace(/status\/?$/, "");
        if (attempt === 0 || !pointedTo(address)) {
          await app.commands.execute("dask:populate-dashboard-url", { url: said.url });
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }

    const pointedTo = (address) =>
      [...document.querySelectorAll(".dask-DaskDashboard-widget iframe")].every((each) => each.src.includes(address));

    function listen(panel, kernel) {
      if (!kernel) return;
      const hear = (message) => {
        const first = !told.has(panel);
        told.set(panel, message.content.data);
        show(panel);
        if (first && message.content.data.gpu && wanted(panel)) open(panel, GPU_PLOTS);
      };
      kernel.registerCommTarget(TARGET, (comm, message) => {
        comm.onMsg = hear;
        hear(message);
      });
      // A kernel that outlived the page has told it to the page before: ask again.
      const ask = (reply) => {
        for (const id of Object.keys(reply.content.comms || {})) {
          if (kernel.hasComm(id)) continue;
          const comm = kernel.createComm(TARGET, id);
          comm.onMsg = hear;
          comm.send({ ask: true });
        }
      };
      kernel.requestCommInfo({ target_name: TARGET }).then(ask, () => {}); // a kernel that ends meanwhile has nothing to say
    }

    const wanted = (panel) => {
      const metadata = panel.content.model && panel.content.model.getMetadata("hundredfold");
      return Boolean(metadata && metadata.dashboard);
    };

    notebooks.widgetAdded.connect(async (_, panel) => {
      const opened = restored; // what the workspace brings back, it brings back with its plots
      panel.sessionContext.kernelChanged.connect((_, { newValue }) => {
        told.delete(panel);
        listen(panel, newValue);
      });
      listen(panel, panel.sessionContext.session && panel.sessionContext.session.kernel);
      await panel.context.ready;
      await panel.revealed;
      if (opened && wanted(panel)) await open(panel, PLOTS);
    });
    notebooks.currentChanged.connect((_, panel) => panel && show(panel));
  }

  /** Show what the hub has to tell (that memory of an idle kernel is about to be freed), and what was wrong when the server started
   *  (that the home folder is full), until the learner has read it. */
  function listenToHub(app, notify) {
    ask(app, "notice")
      .then((answer) => (answer.ok ? answer.json() : []))
      .then(
        (told) => told.forEach((message) => notify.warning(message, { autoClose: false })),
        () => {}, // a lab opened beside another server has none
      );
    app.serviceManager.events.stream.connect((_, event) => {
      if (event.schema_id === NOTICE) notify.warning(event.message, { autoClose: false });
    });
  }

  /** A stored chart is drawn on white and says so (`needs_background`): in the dark its lightness is turned round, as on the site. */
  function darkenCharts() {
    const style = document.createElement("style");
    style.append('body[data-jp-theme-light="false"] img.jp-needs-light-background { background: none; filter: invert(0.93) hue-rotate(180deg); }\n');
    document.head.append(style);
  }

  const PHONE = 600; // CSS pixels
  const START = "start.md"; // as in hundredfold/setup/lab/start_page.py
  const KINDS = { lecture: "notebooks", exercises: "exercises", solutions: "solutions" };

  /** A unit's notebooks have one name in three folders: their tabs say which folder. By a style, since a tab whose label is set renames its file. */
  function nameTabs() {
    const style = document.createElement("style");
    for (const folder of Object.values(KINDS)) {
      const units = ["0", "1"].map((digit) => `.lm-TabBar-tab[title*="${folder}/${digit}"] .lm-TabBar-tabLabel::before`);
      style.append(`${units.join(", ")} { content: "${folder}/"; }\n`);
    }
    document.head.append(style);
  }

  /** The buttons of `etc/settings.json` in a unit's notebook; and the start page, brought up to date whenever it is shown. */
  function connectPages(app, notebooks) {
    /** The notebook of this kind in the unit of the notebook in use, and the folder of the copies; null beside other notebooks. */
    const unit = (folder) => {
      const path = notebooks.currentWidget ? notebooks.currentWidget.context.path : "";
      const found = /^((?:.*\/)?)(notebooks|exercises|solutions)\/(\d\d_[a-z]+(?:-[a-z]+)*)[^/]*\.ipynb$/.exec(path);
      return found && { folder: found[2], other: `${found[1]}${folder}/${found[3]}.ipynb`, start: found[1] + START };
    };
    const open = (path) => app.commands.execute("docmanager:open", { path });
    for (const [kind, folder] of Object.entries(KINDS)) {
      app.commands.addCommand(`hundredfold:${kind}`, {
        label: kind[0].toUpperCase() + kind.slice(1),
        caption: `Open the ${kind} of this unit`,
        isVisible: () => unit(folder) !== null,
        isEnabled: () => unit(folder) !== null && unit(folder).folder !== folder,
        execute: () => open(unit(folder).other),
      });
    }
    app.commands.addCommand("hundredfold:start", {
      label: "Start page",
      caption: "Open the plan and what is solved",
      isVisible: () => unit("notebooks") !== null,
      execute: () => open(unit("notebooks").start),
    });
    const buttons = ["hundredfold:start", ...Object.keys(KINDS).map((kind) => `hundredfold:${kind}`)];
    notebooks.currentChanged.connect(() => buttons.forEach((id) => app.commands.notifyCommandChanged(id)));

    if (window.innerWidth < PHONE) app.restored.then(() => app.shell.collapseLeft()); // the list of files would hide the page
    async function renew(context) {
      const answer = await ask(app, "start");
      if (answer.ok && (await answer.json()).changed && !context.model.dirty) await context.revert();
    }
    app.shell.currentChanged.connect((_, { newValue }) => {
      const context = newValue && newValue.context;
      if (!context || !context.path || context.path.split("/").pop() !== START) return;
      newValue.node.onclick = ({ target }) => target.hash === "#dask-dashboard" && app.shell.activateById("dask-dashboard-launcher");
      renew(context).catch(() => {}); // then it shows what it showed
    });
  }

  // The drawings that can be touched, and what to say of each; as in hundredfold/publish/drawings.
  const TOUCH = {
    "grid-stride": "Point at an element, or tap it, to see all elements of its thread.",
    "tree-or-shuffle": "Point at a chunk, or tap it, to see what moves.",
    "x-is-column": "Point at a thread of the block, or tap it, to see its pixel.",
  };

  /** The course's drawings have a style for light and for dark: the page's scheme chooses, which is the lab's and not the
   *  system's. One that can be touched takes the place of its picture: within a picture nothing can be pointed at.
   *
   *  A picture runs nothing, and an object does. So it has to be a file that this server hands out: there Jupyter has it run in no origin. Another
   *  address may be anybody's, also one that has the lab's origin, and the notebook somebody's who handed it in. */
  function showDrawings(app) {
    const style = document.createElement("style");
    for (const [light, scheme] of [["true", "light"], ["false", "dark"]]) {
      const shown = ['img[src*="drawings/"]', 'object[data*="drawings/"]'];
      const within = shown.map((each) => `body[data-jp-theme-light="${light}"] .jp-RenderedMarkdown ${each}`);
      style.append(`${within.join(", ")} { color-scheme: ${scheme}; }\n`);
    }
    style.append('.jp-RenderedMarkdown object[data*="drawings/"] { display: block; max-width: 100%; height: auto; }\n');
    document.head.append(style);
    const files = `${app.serviceManager.serverSettings.baseUrl}files/`;
    const embed = ({ target }) => {
      if (!(target.src || "").startsWith(files)) return;
      const [, name] = /\/drawings\/([\w-]+)\.svg(?:\?|$)/.exec(target.src) || [];
      if (!Object.hasOwn(TOUCH, name) || !target.closest(".jp-RenderedMarkdown")) return;
      const live = Object.assign(document.createElement("object"), { type: "image/svg+xml", data: target.src, ariaLabel: target.alt });
      const says = Object.assign(document.createElement("small"), { textContent: TOUCH[name] });
      target.replaceWith(live, says);
    };
    document.addEventListener("load", embed, true); // it does not bubble
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB[NAME] = {
    init: (scope) => {
      shared = scope;
    },
    get: async () => {
      const { INotebookTracker } = await load("@jupyterlab/notebook");
      const { Notification } = await load("@jupyterlab/apputils");
      return () => [
        { id: "hundredfold:dashboard", autoStart: true, requires: [INotebookTracker], activate },
        { id: "hundredfold:notices", autoStart: true, activate: (app) => listenToHub(app, Notification) },
        { id: "hundredfold:charts", autoStart: true, activate: darkenCharts },
        { id: "hundredfold:tabs", autoStart: true, activate: nameTabs },
        { id: "hundredfold:pages", autoStart: true, requires: [INotebookTracker], activate: connectPages },
        { id: "hundredfold:drawings", autoStart: true, activate: showDrawings },
      ];
    },
  };
})();
