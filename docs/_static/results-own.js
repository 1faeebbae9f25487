// A learner's own results: read from a file in this browser, checked, and made rows of. Nothing is sent anywhere.
"use strict";
(() => {
  const LARGEST = 5e6; // bytes; a recording has some thousands
  const CACHE = 200; // as measure.bounds: no cache moves bytes so many times faster than the memory behind it
  const UNITS = [["ns", 1e-9, 1e3], ["µs", 1e-6, 1e3], ["ms", 1e-3, 1e3], ["s", 1, 120], ["min", 60, 120], ["h", 3600, Infinity]];
  const known = JSON.parse(document.getElementById("results-known").textContent);

  // ---- numbers, as plot/quantities.py writes them ----
  const number = (value, digits = 3) => String(Number(value.toPrecision(digits)));
  const seconds = (value) => {
    const [unit, size] = UNITS.find(([, size, up]) => Number((value / size).toPrecision(3)) < up);
    return `${number(value / size)} ${unit}`;
  };
  const share = (value) => `${number(100 * value, 2)} %`;

  // ---- limits, as toolkit/bounds.py reckons them from data sheets ----
  const plain = (name) => name.toLowerCase().replace(/nvidia|tesla|geforce|[^a-z0-9]/g, "");
  const card = (name) => (typeof name === "string" ? known.gpus[known.aliases[plain(name)]] : undefined);
  const work = (row) => ({ bytes: row.least_bytes ?? row.bytes ?? null, flops: row.flops ?? null, dtype: row.dtype });
  const arithmetic = ({ flops, dtype }, gpu) =>
    flops ? flops / (dtype === "float32" ? gpu.fp32 : Math.max(gpu.fp64, gpu.gemm64)) : 0;
  const limit = (row, gpu) => {
    const { bytes, flops } = work(row);
    return gpu && (bytes || flops) ? Math.max((bytes ?? 0) / gpu.bandwidth, arithmetic(work(row), gpu)) : null;
  };
  const tooFast = (row, gpu, time) => {
    const { bytes } = work(row);
    const memory = bytes ? bytes / gpu.bandwidth / (bytes < 2 * gpu.l2 ? CACHE : 1) : 0;
    return time < Math.max(memory, arithmetic(work(row), gpu));
  };

  // ---- reading; whatever is wrong is thrown as a sentence ----
  const OURS = "the JSON file that `hundredfold record` wrote, or the page that report() made";

  const documentOf = (text, name) => {
    if (/^\s*</.test(text)) {
      const page = new DOMParser().parseFromString(text, "text/html"); // nothing in it runs or is fetched
      const told = page.querySelector('meta[name="hundredfold-results"]');
      if (told) {
        try {
          return JSON.parse(told.content);
        } catch {
          throw `${name} is a report whose numbers were cut short: make it again with report().`;
        }
      }
      const older = page.querySelector('meta[name="hundredfold-report"]');
      throw older
        ? `${name} is a report without its numbers in it, of an earlier version of the course: make it again with report().`
        : `${name} is a page, but no report of this course. Drop ${OURS}.`;
    }
    try {
      return JSON.parse(text);
    } catch {
      throw `${name} is not JSON and no page: perhaps it was cut short. Drop ${OURS}.`;
    }
  };

  const positive = (value) => typeof value === "number" && Number.isFinite(value) && value > 0;
  const asPositive = (value, what) => {
    if (value !== undefined && value !== null && !positive(value)) throw `${what} must be a positive number, not ${JSON.stringify(value)}.`;
  };
  const words = (value) => typeof value === "string" && value.trim() !== "";

  /** The rows of a recording and of a report in one shape, each with the machine that it was taken on. */
  function* timesOf(data, name) {
    for (const [place, row] of data.rows.entries()) {
      const where = `${name}, row ${place + 1}`;
      if (!row || !words(row.id) || !Array.isArray(row.times)) throw `${where} has no id or no times: it was edited, or is no recording.`;
      for (const each of ["bytes", "least_bytes", "flops"]) asPositive(row[each], `${where} (${row.id}): ${each}`);
      for (const time of row.times) {
        if (!time || !words(time.way)) throw `${where} (${row.id}) has a time without a way: it was edited, or is no recording.`;
        if (!positive(time.seconds)) throw `${where} (${row.id}, ${time.way}): seconds must be a positive number, not ${JSON.stringify(time.seconds)}.`;
        asPositive(time.limit, `${where} (${row.id}, ${time.way}): limit`);
        const machine = data.machines[time.machine ?? row.machine];
        if (!machine || !words(machine.name)) throw `${where} (${row.id}) names a machine that the file does not have.`;
        const source = data.sources?.[time.source ?? row.source] ?? {};
        yield { row, time, machine, year: String(source.date ?? "").slice(0, 4) };
      }
    }
  }

  /** What a file says: a title, its rows as the table has them, and sentences on what was left out. */
  function check(data, name) {
    if (data === null || typeof data !== "object" || !("schema" in data)) throw `${name} is JSON, but nothing that this course wrote. Drop ${OURS}.`;
    if (data.kind === "published") throw `${name} holds what others published: it stands here already.`;
    if (Array.isArray(data.tasks)) throw `${name} is a recorded run of a cluster, which the lab's Dask panel replays; it has no row for this table.`;
    if (data.kind === "simulated") throw `${name} was recorded on a simulated GPU. A simulated time says nothing of a GPU, so it stands beside no measured one.`;
    if (!["recorded", "report"].includes(data.kind)) throw `${name} is JSON, but neither a recording nor a report of this course. Drop ${OURS}.`;
    if (data.schema !== known.schema) {
      throw `${name} is written in version ${JSON.stringify(data.schema)} of the format, and this page reads version ${known.schema}: open it in the site of the course that wrote it, or record again.`;
    }
    if (!Array.isArray(data.rows) || !data.machines || typeof data.machines !== "object") throw `${name} has no rows or no machines: it was edited, or cut short.`;
    const rows = [], said = [];
    let simulated = 0;
    for (const { row, time, machine, year } of timesOf(data, name)) {
      if (time.device === "simulated") {
        simulated += 1;
        continue;
      }
      if (!["cpu", "gpu"].includes(time.device)) throw `${name} (${row.id}, ${time.way}): the device is cpu or gpu, not ${JSON.stringify(time.device)}.`;
      const gpu = time.device === "gpu" && (time.workers ?? 1) === 1 ? card(machine.gpu) : undefined;
      const least = gpu ? limit(row, gpu) : time.limit ?? null;
      if (time.verdict === "impossible" || (gpu && tooFast(row, gpu, time.seconds))) {
        const bound = least === null ? "" : ` (${seconds(least)} ${gpu ? `on ${gpu.name}` : "there"})`;
        said.push(`Left out: ${row.id}, ${time.way}, ${seconds(time.seconds)}. That is faster than its limit${bound}: not synchronised, or not done.`);
        continue;
      }
      const alone = time.device === "cpu" && !machine.gpu ? " (CPU only)" : "";
      rows.push({
        id: row.id, what: row.what ?? known.workloads[row.id]?.what ?? "", way: time.way,
        machine: `${machine.name}${alone}${year ? `, ${year}` : ""}`, kind: "yours", device: time.device === "gpu" ? "GPU" : "CPU",
        seconds: time.seconds, limit: least, verdict: time.verdict === "doubtful" ? "doubtful" : "possible", remark: String(time.remark ?? ""),
      });
    }
    if (simulated) {
      const many = simulated === 1 ? "1 time was" : `${simulated} times were`;
      said.unshift(`Left out: ${many} taken on a simulated GPU. Such a time is the CPU's and says nothing of a GPU, so it stands beside no measured one.`);
    }
    if (!rows.length) throw said.length ? `Nothing of ${name} can be shown. ${said.join(" ")}` : `${name} has no times in it yet.`;
    return { title: String(data.title ?? name), rows, said };
  }

  async function read(file) {
    if (file.size > LARGEST) throw `${file.name} is ${Math.round(file.size / 1e6)} MB, and a recording has some kB: it is another file. Drop ${OURS}.`;
    const data = documentOf(await file.text(), file.name);
    return { name: file.name, data, ...check(data, file.name) };
  }

  // ---- kept in this browser, as the documents that were read, so that a later version of this page checks them again ----
  const KEY = "hundredfold-results";
  const kept = () => {
    const found = [];
    try {
      for (const { name, data } of JSON.parse(localStorage.getItem(KEY) ?? "[]")) {
        try {
          found.push({ name, data, ...check(data, name) });
        } catch {
          // written by another version of the page: it is not shown
        }
      }
    } catch {
      // no storage, or not ours
    }
    return found;
  };
  /** Whether they will be there after a reload. */
  const keep = (files) => {
    try {
      if (files.length) localStorage.setItem(KEY, JSON.stringify(files.map(({ name, data }) => ({ name, data }))));
      else localStorage.removeItem(KEY);
      return true;
    } catch {
      return false;
    }
  };

  /** What a card's data sheet allows for each workload, as rows. */
  const allowed = (name) =>
    Object.entries(known.workloads).flatMap(([id, row]) => {
      const least = limit(row, known.gpus[name]);
      const way = least !== null && arithmetic(work(row), known.gpus[name]) === least ? "its operations" : "each byte once";
      return least === null ? [] : [{
        id, what: row.what, way, machine: `${name}, data sheet`, kind: "limit", device: "GPU", seconds: least, limit: least,
        verdict: "", remark: "",
      }];
    });

  globalThis.hundredfoldResults = { read, kept, keep, allowed, seconds, share, cards: Object.keys(known.gpus) };
})();
