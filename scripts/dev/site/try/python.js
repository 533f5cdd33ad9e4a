// A worker with Python in it (Pyodide runs in module workers only): modules/bench.py and n6post's own files.

import { serve } from "./worker.js";
import * as pixels from "./pixels.js";

let bench;

async function start({ texts }) {
  const [{ loadPyodide }, files] = await Promise.all([
    import("./pyodide/pyodide.mjs"),
    fetch("n6post.zip").then((answer) => answer.arrayBuffer()),
  ]);
  const python = await loadPyodide({ indexURL: new URL("pyodide/", location).href });
  python.unpackArchive(files, "zip", { extractDir: "/n6post" });
  python.registerJsModule("pixels", pixels);
  python.runPython("import sys; sys.path[:0] = ['/n6post', '/n6post/n6post_pc/carried/lib']");
  bench = python.pyimport("bench");
  bench.set_texts(JSON.stringify(texts));
}

// A request of the page. Answers {tensor} if the network has to run first: call again with its outputs.
function look({ request, outputs }) {
  const text = JSON.stringify(request);
  if (outputs) bench.put(text, outputs);
  const input = bench.tensor(text);
  if (!input) return JSON.parse(bench.look(text));
  const buffer = input.getBuffer("u8");
  const bytes = buffer.data.slice();
  buffer.release();
  input.destroy();
  return { tensor: bytes };
}

serve({
  start,
  look,
  ticks: ({ request }) => JSON.parse(bench.ticks(JSON.stringify(request))),
  read: ({ bytes }) => JSON.parse(bench.read(bytes)),
  labels: ({ bytes }) => JSON.parse(bench.labels(bytes)),
  add: ({ id, file, described, labels }) => bench.add(id, file, JSON.stringify(described), JSON.stringify(labels)),
  picture: ({ id, width, height, rgba }) => bench.add_picture(id, width, height, rgba),
});
