#!/usr/bin/env node
// configurable-http-proxy, with six differences. It runs as root, and what it connects to lies in folders of learners'.
//
// - It does not follow a link in place of a server's socket: that would lead a learner's request, as root, to any socket of this machine.
// - It refuses a Host that is no host: with names of learners' own, CHP joins Host and path, and a slash in Host would choose another route.
// - Connections to servers are kept and used again, as CHP does with those on ports. Else each request says `Connection: close` (http-proxy-3
//   does where there is no agent). A server that answers at once closes before Node has flushed the end of the request; the flush fails
//   (EPIPE), and instead of the answer, which is there, the learner has "503: your server appears to be down". Of 600 short requests on a
//   busy machine 52 ended so.
// - A DELETE or OPTIONS of unknown length is refused. http-proxy-3 says that it has no body and sends the body all the same, which on a
//   connection that is kept is the next request: one that nobody else asked for, and whose answer the next visitor gets.
// - What a request says of the address it comes from is believed where a web server in front says it, which asks from 127.0.0.1. Of others
//   it would be anybody's choice which address stands in the log for a wrong password.
// - A websocket that leads nowhere is closed. CHP answers it and keeps its file open for ever, also when the browser has long gone: who asks
//   often enough leaves none to anybody.
"use strict";
const fs = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const net = require("node:net");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const O_PATH = 0o10000000; // Linux: to look at a file, and not through it

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
  if (options && options.socketPath) {
    const keep = options.agent === false && options.headers && options.headers.connection === "close";
    options = keep
      ? { ...options, agent: kept, headers: { ...options.headers, connection: "keep-alive" } }
      : { ...options, agent: once };
  }
  return request(options, ...more);
};

const FRONT = /^(::ffff:)?127\.0\.0\.1$|^::1$/;
const FORWARDED = /^(x-forwarded-.*|x-real-ip|x-scheme|forwarded)$/;
const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?$/;
for (const { prototype } of [http.Server, https.Server]) {
  const emit = prototype.emit;
  prototype.emit = function (event, asked, answer, ...more) {
    const public_ = (event === "request" || event === "upgrade") && asked.socket.localPort; // the hub's own come by a Unix socket
    if (public_ && !HOST.test(asked.headers.host || "localhost")) {
      if (event === "upgrade") answer.destroy();
      else answer.writeHead(400, { Connection: "close" }).end("The Host header names no host.\n");
      return true;
    }
    if (public_ && event === "request" && /^(DELETE|OPTIONS)$/.test(asked.method) && asked.headers["transfer-encoding"]) {
      answer.writeHead(411, { Connection: "close" }).end("Say how long the request is (Content-Length).\n");
      return true;
    }
    if (event === "upgrade") answer.on("error", () => {}); // of who is gone before the answer
    if (public_ && !FRONT.test(asked.socket.remoteAddress))
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
import(chp("lib", "configproxy.js")).then(({ ConfigurableProxy: { prototype } }) => {
  const refuse = prototype.handleProxyError;
  prototype.handleProxyError = function (code, kind, asked, answer, ...more) {
    refuse.call(this, code, kind, asked, answer, ...more);
    if (kind === "ws" && answer) answer.destroySoon();
  };
  return import(chp("bin", "configurable-http-proxy"));
});
