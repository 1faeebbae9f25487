#!/usr/bin/env node
// configurable-http-proxy, but connections to servers on Unix sockets are kept and used again, as it does with those on ports.
//
// Without that each request to a learner's server says `Connection: close` (http-proxy-3 does where there is no agent). A server that
// answers at once closes before Node has flushed the end of the request; the flush fails (EPIPE), and instead of the answer, which is
// there, the learner has "503: your server appears to be down". Of 600 short requests on a busy machine 52 ended so.
"use strict";
const http = require("node:http");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const agent = new http.Agent({ keepAlive: true });
const request = http.request;
http.request = (options, ...more) => {
  if (options && options.socketPath && options.agent === false && options.headers && options.headers.connection === "close") {
    options = { ...options, agent, headers: { ...options.headers, connection: "keep-alive" } };
  }
  return request(options, ...more);
};

import(pathToFileURL(path.join(__dirname, "node_modules", "configurable-http-proxy", "bin", "configurable-http-proxy")));
