// The lab's half of `hundredfold.notebook.dashboard` (Dask's plots beside a notebook, showing that notebook's own cluster) and of
// `hundredfold.classroom.seats.notice` (what a hub has to tell a learner); and the colours of the drawings.
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
    fetch(`${app.serviceManager.serverSettings.baseUrl}hundredfold/notice`, { credentials: "same-origin" })
      .then((answer) => (answer.ok ? answer.json() : []))
      .then(
        (told) => told.forEach((message) => notify.warning(message, { autoClose: false })),
        () => {}, // a lab opened beside another server has none
      );
    app.serviceManager.events.stream.connect((_, event) => {
      if (event.schema_id === NOTICE) notify.warning(event.message, { autoClose: false });
    });
  }

  /** The course's drawings have a style for light and for dark: the page's scheme chooses, which is the lab's and not the system's. */
  function colourDrawings() {
    const style = document.createElement("style");
    for (const [light, scheme] of [["true", "light"], ["false", "dark"]]) {
      style.append(`body[data-jp-theme-light="${light}"] .jp-RenderedMarkdown img[src*="drawings/"] { color-scheme: ${scheme}; }\n`);
    }
    document.head.append(style);
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
        { id: "hundredfold:drawings", autoStart: true, activate: colourDrawings },
      ];
    },
  };
})();
