#!/usr/bin/env node
// configurable-http-proxy, with what it lacks where a learner's server may be any program, and a visitor anybody. It runs as root.
//
// - It does not follow a link in place of a server's socket: that would lead a learner's request, as root, to any socket of this machine.
// - It refuses a Host that is no host: with names of learners' own, CHP joins Host and path, and a slash in Host would choose another route.
// - Connections to servers are kept and used again, as CHP does with those on ports. Else each request says `Connection: close` (http-proxy-3
//   does where there is no agent). A server that answers at once closes before Node has flushed the end of the request; the flush fails
//   (EPIPE), and instead of the answer, which is there, the learner has "503: your server appears to be down". Of 600 short requests on a
//   busy machine 52 ended so.
// - A DELETE or OPTIONS of unknown length is refused. http-proxy-3 says that it has no body and sends the body all the same, which on a
//   connection that is kept is the next request: one that nobody else asked for, and whose answer the next visitor gets.
// - All headers of a request are looked at. Node's parser heeds each, and shows a program the first thousand: behind them somebody can hide
//   how long a request is, which comes to the same.
// - Of one connection so many requests wait for their answers. Of those that come in one packet each would have a connection to the hub.
// - What a request says of the address it comes from is believed where a web server in front says it, which asks from 127.0.0.1 and has the
//   certificate. Of others it would be anybody's choice which address stands in the log for a wrong password.
// - A websocket that leads nowhere is closed. CHP answers it and keeps its file open for ever, also when the browser has long gone: who asks
//   often enough leaves none to anybody. So does a server that never answers, whose visitor has gone.
// - What a server answers instead of a websocket is read as fast as the browser takes it. http-proxy-3 keeps all that is not taken yet in
//   memory, of which a server can send gigabytes.
// - An answer that goes wrong half-way ends there. CHP asks the hub for a page on the error, which it cannot send any more and never reads.
// - Of interim answers (100 to 199) a server gives a few. Each costs work, and without end they cost everybody's time.
// - Eight parts of a path choose where a request goes. CHP looks at all of it by an expression that takes half a second for 15 000 slashes.
// - No server says that a page of its own may stand before addresses that are not its own (`Service-Worker-Allowed`).
"use strict";
const fs = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const net = require("node:net");
const path = require("node:path");
const httpProxy = require("http-proxy-3");
const { pathToFileURL } = require("node:url");

const O_PATH = 0o10000000; // Linux: to look at a file, and not through it
const INTERIM = 10; // answers before the answer
const WAITING = 16; // requests of one connection that are not answered yet; browsers send one after another

/** A connection to the socket that is looked at, even if another is put in its place meanwhile. */
function connect(options, done) {
  let file;
  try {
    file = fs.openSync(options.socketPath, O_PATH | fs.constants.O_NOFOLLOW);
    if (!fs.fstatSync(file).isSocket()) throw Object.assign(new Error("no socket"), { code: "ECONNREFUSED" });
  } catch (error) {
    if (file !== undefined) fs.closeSync(file);
    process.nextTick(done, error);
    return undefined;
  }
  const line = net.connect({ path: `/proc/self/fd/${file}` });
  let open = true;
  const close = () => {
    if (open) fs.closeSync(file);
    open = false;
  };
  line.once("connect", close).once("close", close);
  return line;
}

class Agent extends http.Agent {
  createConnection(options, done) {
    return connect(options, done);
  }
}

const kept = new Agent({ keepAlive: true });
const once = new Agent({ keepAlive: false });
const request = http.request;
http.request = (options, ...more) => {
  if (!options || !options.socketPath) return request(options, ...more);
  const keep = options.agent === false && options.headers && options.headers.connection === "close";
  options = keep
    ? { ...options, agent: kept, headers: { ...options.headers, connection: "keep-alive" } }
    : { ...options, agent: once };
  const made = request(options, ...more);
  let interim = 0;
  made.on("information", () => {
    if (++interim > INTERIM) made.destroy(Object.assign(new Error("interim answers without end"), { code: "ECONNRESET" }));
  });
  return made;
};

const create = httpProxy.createProxyServer;
httpProxy.createProxyServer = (...options) => {
  const made = create(...options);
  made.on("proxyRes", (answer) => delete answer.headers["service-worker-allowed"]);
  made.on("proxyReqWs", (asking, asked, line) => {
    const look = () => line.readableLength || line.read(); // so its end is seen, and nothing taken
    const gone = () => asking.destroy();
    line.on("readable", look).once("end", gone).once("close", gone);
    asking.once("upgrade", () => line.off("readable", look).off("end", gone).off("close", gone));
    asking.once("response", (answer) =>
      answer.on("data", () => {
        if (!line.writableNeedDrain) return;
        answer.pause();
        line.once("drain", () => answer.resume());
      }),
    );
  });
  return made;
};

const PARTS = 8; // of a path; a route has four: a host, "user", a name, and what is before the first slash
const FRONT = /^(::ffff:)?127\.0\.0\.1$|^::1$/;
const FORWARDED = /^(x-forwarded-.*|x-real-ip|x-scheme|forwarded)$/;
const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?$/;
const refused = (answer, code, why) => {
  answer.writeHead(code, { Connection: "close" }).end(`${why}\n`);
  return true;
};
for (const { prototype } of [http.Server, https.Server]) {
  const emit = prototype.emit;
  prototype.emit = function (event, asked, answer, ...more) {
    if (event === "listening") {
      this.maxHeadersCount = 0; // all; together they have 16 KiB
      this.everybodys = typeof this.address() === "object"; // the hub's own requests come by a Unix socket
    }
    const whole = event === "request";
    if (!this.everybodys || !(whole || event === "upgrade")) return emit.call(this, event, asked, answer, ...more);
    const line = asked.socket;
    if (!HOST.test(asked.headers.host || "localhost")) return whole ? refused(answer, 400, "The Host header names no host.") : answer.destroy();
    if (whole && /^(DELETE|OPTIONS)$/.test(asked.method) && asked.headers["transfer-encoding"])
      return refused(answer, 411, "Say how long the request is (Content-Length).");
    if (whole) {
      line.waiting = (line.waiting || 0) + 1;
      answer.once("close", () => line.waiting--);
      if (line.waiting > WAITING) return refused(answer, 503, "Wait for the answers to what you have asked.");
    } else answer.on("error", () => {}); // of who is gone before the answer
    if (line.encrypted || !FRONT.test(line.remoteAddress))
      for (const name of Object.keys(asked.headers)) if (FORWARDED.test(name)) delete asked.headers[name];
    return emit.call(this, event, asked, answer, ...more);
  };
}

// CHP logs what nobody caught and lives on, also where its port was taken meanwhile: then nobody is served, and systemd sees nothing to start anew.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...where) {
  this.on("error", (error) => {
    console.error(`The proxy: ${error.message}`);
    if (error.syscall === "listen") process.exit(1);
  });
  return listen.apply(this, where);
};

const chp = (...parts) => pathToFileURL(path.join(__dirname, "node_modules", "configurable-http-proxy", ...parts));
Promise.all([import(chp("lib", "configproxy.js")), import(chp("lib", "store.js"))]).then(([{ ConfigurableProxy }, { MemoryStore }]) => {
  const { prototype } = ConfigurableProxy;
  const { getTarget } = MemoryStore.prototype;
  MemoryStore.prototype.getTarget = function (where) {
    return getTarget.call(this, where.split("/", PARTS).join("/"));
  };
  const refuse = prototype.handleProxyError;
  prototype.handleProxyError = function (code, kind, asked, answer, ...more) {
    if (kind === "web" && answer.headersSent) return answer.destroy();
    refuse.call(this, code, kind, asked, answer, ...more);
    if (kind === "ws" && answer) answer.destroySoon();
  };
  return import(chp("bin", "configurable-http-proxy"));
});
